# The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.
package Protocol;

use strict;
use warnings;
use List::Util qw(all max min);

use Exporter 'import';
our @EXPORT = qw(EMPTY ME THEM FORBIDDEN play);

use constant { EMPTY => 0, ME => 1, THEM => 2, FORBIDDEN => 3 };
use constant { LEAST => 5, MOST => 32 };    # sides of a board

my @DIRECTIONS = ([1, 0], [0, 1], [1, 1], [1, -1]);

# The position in which the bot has to move: width, height; cells->[y][x], which is EMPTY, ME, THEM or
# FORBIDDEN; stones, [x, y, who] in the order in which they were played; info, what INFO said.
sub new {
    my ($class, $width, $height) = @_;
    my $state = bless { width => $width, height => $height, info => {} }, $class;
    $state->clear;
    return $state;
}

sub clear {
    my ($self) = @_;
    $self->{cells}  = [map { [(EMPTY) x $self->{width}] } 1 .. $self->{height}];
    $self->{stones} = [];
    return;
}

sub inside {
    my ($self, $x, $y) = @_;
    return $x >= 0 && $x < $self->{width} && $y >= 0 && $y < $self->{height};
}

sub is_free {
    my ($self, $x, $y) = @_;
    return $self->inside($x, $y) && $self->{cells}[$y][$x] == EMPTY;
}

# All cells without a stone, row by row, as [x, y].
sub free {
    my ($self) = @_;
    my @found;
    for my $y (0 .. $self->{height} - 1) {
        push @found, map { [$_, $y] } grep { $self->is_free($_, $y) } 0 .. $self->{width} - 1;
    }
    return @found;
}

# How many stones in a row somebody would have through this cell by playing there.
sub row {
    my ($self, $x, $y, $who) = @_;
    my $longest = 0;
    for my $direction (@DIRECTIONS) {
        my $count = 1;
        for my $sign (1, -1) {
            my ($dx, $dy) = map { $sign * $_ } @$direction;
            my ($i,  $j)  = ($x + $dx, $y + $dy);
            while ($self->inside($i, $j) && $self->{cells}[$j][$i] == $who) {
                $count++;
                $i += $dx;
                $j += $dy;
            }
        }
        $longest = max($longest, $count);
    }
    return $longest;
}

# How long this move may take, in milliseconds.
sub time_ms {
    my ($self) = @_;
    my @limits = grep { $_ && /^\d+$/ && $_ > 0 } @{ $self->{info} }{qw(timeout_turn time_left)};
    return min(@limits, 2_147_483_647);
}

sub put {
    my ($self, $x, $y, $who) = @_;
    $self->{cells}[$y][$x] = $who;
    push @{ $self->{stones} }, [$x, $y, $who];
    return;
}

sub take_back {
    my ($self, $x, $y) = @_;
    $self->{cells}[$y][$x] = EMPTY;
    $self->{stones} = [grep { $_->[0] != $x || $_->[1] != $y } @{ $self->{stones} }];
    return;
}

# Answers the manager until it says END or is gone.
sub play {
    my ($move, $name) = @_;
    local $| = 1;    # a line leaves at once
    my $state = Protocol->new(0, 0);
    while (my $line = <STDIN>) {
        my ($word, $rest) = $line =~ /^\s*(\S*)\s*(.*?)\s*$/;
        $word = uc $word;
        my @cell    = numbers($rest);
        my $is_free = @cell == 2 && $state->is_free(@cell);
        if ($word eq 'START' || $word eq 'RECTSTART') {
            if (@cell == ($word eq 'START' ? 1 : 2) && all { $_ >= LEAST && $_ <= MOST } @cell) {
                $state = Protocol->new($cell[0], $cell[-1]);
                say_line('OK');
            }
            else { say_line('ERROR boards have sides of ' . LEAST . ' to ' . MOST) }
        }
        elsif ($word eq 'RESTART') {
            $state->clear;
            say_line('OK');
        }
        elsif ($word eq 'INFO') {
            my ($key, $value) = split ' ', $rest, 2;
            $state->{info}{ lc $key } = $value if defined $key;
        }
        elsif ($word eq 'BEGIN') { answer($state, $move) }
        elsif ($word eq 'TURN' && $is_free) {
            $state->put(@cell, THEM);
            answer($state, $move);
        }
        elsif ($word eq 'BOARD') {
            $state->clear;
            for my $stone (until_done()) {
                $state->put(@$stone) if @$stone == 3 && $state->is_free(@$stone[0, 1]);
            }
            answer($state, $move);
        }
        elsif ($word eq 'SWAP2BOARD') {
            $state->clear;
            # Whoever answers with one cell takes White: black stones are the other's then.
            my $who = THEM;
            for my $stone (until_done()) {
                $state->put(@$stone[0, 1], $who) if @$stone >= 2 && $state->is_free(@$stone[0, 1]);
                $who = $who == THEM ? ME : THEM;
            }
            my ($x, $y) = map { int($_ / 2) } @$state{qw(width height)};
            if   (@{ $state->{stones} }) { answer($state, $move) }
            else                         { say_line(sprintf '%d,%d %d,%d %d,%d', $x, $y, $x + 1, $y, $x - 1, $y + 2) }
        }
        elsif ($word eq 'PLAY' && $is_free) {    # comes only after SUGGEST, which this bot never says
            $state->put(@cell, ME);
            say_line("$cell[0],$cell[1]");
        }
        elsif ($word eq 'TURN' || $word eq 'PLAY') { say_line("ERROR not a free cell: $rest") }
        elsif ($word eq 'TAKEBACK') {
            if (@cell == 2 && $state->inside(@cell)) {
                $state->take_back(@cell);
                say_line('OK');
            }
            else { say_line("ERROR not a cell: $rest") }
        }
        elsif ($word eq 'ABOUT') { say_line(qq(name="$name", version="1.0", author="", country="")) }
        elsif ($word eq 'END')   { return }
        elsif ($word ne '')      { say_line("UNKNOWN $word") }
    }
    return;
}

sub answer {
    my ($state, $move) = @_;
    return say_line('ERROR there is no free cell') if !$state->free;
    my ($x, $y) = $move->($state);
    die "move returned $x,$y, which is not a free cell\n" if !$state->is_free($x, $y);
    $state->put($x, $y, ME);
    return say_line("$x,$y");
}

# The lines of a position as lists of numbers.
sub until_done {
    my @found;
    while (my $line = <STDIN>) {
        last if $line =~ /^\s*DONE\s*$/i;
        push @found, [numbers($line)];
    }
    return @found;
}

# The numbers of "7,8" or "15"; nothing if it is something else.
sub numbers {
    my ($text) = @_;
    my @parts = map { s/^\s+|\s+$//gr } split /,/, $text, -1;
    return (all { /^-?\d+$/ } @parts) ? @parts : ();
}

sub say_line {
    my ($line) = @_;
    print "$line\n";
    return;
}

1;
