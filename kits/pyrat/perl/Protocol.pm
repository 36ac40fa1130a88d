# The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
#
# A long thought asks `$state->stopped` now and then: it hears `isready` and `stop` meanwhile.
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.
package Protocol;

use strict;
use warnings;
use List::Util qw(any none);

use Exporter 'import';
our @EXPORT = qw(FAR play);

use constant FAR => 1_000_000;    # turns to a cell that cannot be reached

my @MOVES = qw(UP DOWN LEFT RIGHT);
my %STEPS = (UP => [0, 1], DOWN => [0, -1], LEFT => [-1, 0], RIGHT => [1, 0]);

# The game as it stands: width, height, cheese, turn, role ("rat" or "python"), time (limits in
# milliseconds), options (what setoption said). A cell is a number, y * width + x; (0, 0) is at the
# bottom left. A player has cell, score, and while it is in mud target, the cell it will arrive at, and
# mud, the turns until then.
sub new {
    my ($class, $options) = @_;
    my %state = (width => 0, height => 0, cheese => [], turn => 0, role => 'rat', time => {}, options => $options);
    $state{$_} = new_player(0) for qw(rat python);
    return bless \%state, $class;
}

sub new_player {
    my ($cell) = @_;
    return { cell => $cell, target => $cell, mud => 0, score => 0 };
}

sub me { my ($self) = @_; return $self->{ $self->{role} } }

sub other { my ($self) = @_; return $self->{ $self->{role} eq 'rat' ? 'python' : 'rat' } }

# The moves that lead out of a cell: [move, where to, in how many turns].
sub exits {
    my ($self, $cell) = @_;
    my $costs = $self->{costs}[$cell];
    return map { [$_, $self->neighbour($cell, $_), $costs->{$_}] } grep { $costs->{$_} } @MOVES;
}

# For every cell: in how many turns it is reached from a given one, and by which first move.
sub ways {
    my ($self, $start) = @_;
    my @turns = (FAR) x ($self->{width} * $self->{height});
    my @first = ('STAY') x @turns;
    $turns[$start] = 0;
    my @queue = ($start);
    while (@queue) {
        my $cell = shift @queue;
        for my $exit ($self->exits($cell)) {
            my ($move, $to, $cost) = @$exit;
            next if $turns[$cell] + $cost >= $turns[$to];
            $turns[$to] = $turns[$cell] + $cost;
            $first[$to] = $cell == $start ? $move : $first[$cell];
            push @queue, $to;
        }
    }
    return (\@turns, \@first);
}

# ---- keeping track ----

sub neighbour {
    my ($self, $cell, $move) = @_;
    return $cell + $STEPS{$move}[1] * $self->{width} + $STEPS{$move}[0];
}

sub make_maze {
    my ($self, $width, $height) = @_;
    @$self{qw(width height)} = ($width, $height);
    for my $cell (0 .. $width * $height - 1) {
        for my $move (@MOVES) {
            my $x = $cell % $width + $STEPS{$move}[0];
            my $y = int($cell / $width) + $STEPS{$move}[1];
            $self->{costs}[$cell]{$move} = $x >= 0 && $x < $width && $y >= 0 && $y < $height ? 1 : 0;
        }
    }
    return;
}

# Between two cells, in both directions.
sub set_cost {
    my ($self, $a_cell, $b_cell, $turns) = @_;
    for my $pair ([$a_cell, $b_cell], [$b_cell, $a_cell]) {
        for my $exit (grep { $_->[1] == $pair->[1] } $self->exits($pair->[0])) {
            $self->{costs}[$pair->[0]]{ $exit->[0] } = $turns;
        }
    }
    return;
}

# One turn of one player: it moves, or struggles on in the mud whatever its move is.
sub advance {
    my ($self, $player, $move) = @_;
    my $cost = $self->{costs}[$player->{cell}]{$move};
    if ($player->{mud}) {
        $player->{mud}--;
    }
    elsif ($cost) {
        $player->{target} = $self->neighbour($player->{cell}, $move);
        $player->{mud}    = $cost - 1;
    }
    $player->{cell} = $player->{target} if !$player->{mud};
    return;
}

# One turn of the game.
sub step {
    my ($self, %moves) = @_;
    $self->{turn}++;
    $self->advance($self->{$_}, $moves{$_}) for qw(rat python);
    my @eaters = grep { my $p = $_; !$p->{mud} && any { $_ == $p->{cell} } @{ $self->{cheese} } } @$self{qw(rat python)};
    my $shared = @eaters == 2 && $eaters[0]{cell} == $eaters[1]{cell};
    $_->{score} += $shared ? 0.5 : 1 for @eaters;
    $self->{cheese} = [grep { my $cell = $_; none { $_->{cell} == $cell } @eaters } @{ $self->{cheese} }];
    return;
}

# After a restart: the history of moves tells who is how deep in mud. A walk along it from the right
# start ends where the player is now. Usually the start is the player's corner.
sub recover_mud {
    my ($self, @history) = @_;
    $self->{turn} = int(@history / 2);
    my $last = $self->{width} * $self->{height} - 1;
    for my $number (0, 1) {
        my $player = $self->{ $number ? 'python' : 'rat' };
        for my $start ($number ? $last : 0, 0 .. $last) {
            my $walker = new_player($start);
            for (my $at = $number; $at < @history; $at += 2) { $self->advance($walker, $history[$at]) }
            next if $walker->{cell} != $player->{cell};
            @$player{qw(target mud)} = @$walker{qw(target mud)};
            last;
        }
    }
    return;
}

# The cells in a text: "(0,0)-(0,1)".
sub cells {
    my ($self, $text) = @_;
    my @found;
    while ($text =~ /\((\d+),(\d+)\)/g) { push @found, $2 * $self->{width} + $1 }
    return @found;
}

# ---- lines: read by ourselves, so that we can look whether there are any ----

my ($buffer, $over, $stop, $late) = ('', 0, 0, 0);
my @lines;

# Reads what is there, and does at once what cannot wait until a thought is over.
sub read_more {
    $over = $stop = 1 if !sysread STDIN, $buffer, 65_536, length $buffer;
    while ($buffer =~ s/^(.*?)\r?\n//) {
        my $line = $1;
        my ($word) = $line =~ /(\S+)/ or next;
        if    ($word eq 'isready') { say_line('readyok') }
        elsif ($word eq 'stop')    { $stop = 1 }
        elsif ($word eq 'timeout') { $stop = $late = 1 }
        else {
            $stop = $late = 0 if $word eq 'go' || $word eq 'startpreprocessing';
            push @lines, $line;
        }
    }
    return;
}

# Whether a thought has to end.
sub stopped {
    my $ready = '';
    vec($ready, fileno STDIN, 1) = 1;
    read_more() while !$over && select my $found = $ready, undef, undef, 0;
    return $stop;
}

sub next_line {
    read_more() while !@lines && !$over;
    return shift @lines;
}

# ---- the conversation ----

# Answers the engine until it is gone.
sub play {
    my ($move, $name) = @_;
    my ($options, $begun, @history) = ({}, 0);
    my $state = Protocol->new($options);
    while (defined(my $line = next_line())) {
        my ($word, $rest) = $line =~ /^\s*(\S+)\s*(.*?)\s*$/;
        my %value = map { split /:/, $_, 2 } grep { /:/ } split ' ', $rest;
        if ($word eq 'pyrat') {
            say_line("id name $name");
            say_line('pyratready');
        }
        elsif ($word eq 'setoption') {
            my ($key, $value) = split /\s+value\s+/, $rest =~ s/^name\s+//r, 2;
            $options->{$key} = $value // '';
        }
        elsif ($word eq 'newgame' || $word eq 'recover') {
            ($state, $begun, @history) = (Protocol->new($options), 0);
        }
        elsif ($word eq 'maze')  { $state->make_maze(@value{qw(width height)}) }
        elsif ($word eq 'walls') { $state->set_cost($state->cells($_), 0) for split ' ', $rest }
        elsif ($word eq 'mud')   { $state->set_cost($state->cells($_), 1 + (split /:/)[-1]) for split ' ', $rest }
        elsif ($word eq 'cheese') { $state->{cheese} = [$state->cells($rest)] }
        elsif ($word eq 'player1' || $word eq 'player2') {
            my $player = $state->{ $word eq 'player1' ? 'rat' : 'python' };
            @$player{qw(cell target)} = (($state->cells($rest))[0]) x 2;
        }
        elsif ($word eq 'timecontrol') { $state->{time} = {%value} }
        elsif ($word eq 'moves_history') {
            @history = split ' ', $rest;
            $begun   = 1;
        }
        elsif ($word eq 'score') { $state->{$_}{score} = $value{$_} for qw(rat python) }
        elsif ($word eq 'youare') {
            $state->{role} = $rest;
            $state->recover_mud(@history) if $begun;
        }
        elsif ($word eq 'startpreprocessing') { say_line('preprocessingdone') }
        elsif ($word eq 'moves') {
            # The first ones come before the first turn.
            $state->step(%value) if $begun;
            $begun = 1;
        }
        elsif ($word eq 'go') {
            $begun = 1;
            my $chosen = $move->($state);
            die "move returned $chosen, which is not a move\n" if $chosen ne 'STAY' && !$STEPS{$chosen};
            stopped();
            # After a time-out the engine has played STAY and does not want this move any more.
            say_line("move $chosen") if !$late;
        }
        elsif ($word eq 'ready?')              { say_line('ready') }
        elsif ($word eq 'startpostprocessing') { say_line('postprocessingdone') }
        # `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not known
        # is ignored.
    }
    return;
}

# Writes a line, which leaves at once.
sub say_line {
    my ($line) = @_;
    syswrite STDOUT, "$line\n";
    return;
}

1;
