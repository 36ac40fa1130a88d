# The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.
package Protocol;

use strict;
use warnings;
use List::Util qw(any);

use Exporter 'import';
our @EXPORT = qw(UNKNOWN GRASS SUGAR ROCK MILL WATER MEAT play);

use constant { UNKNOWN => -1, GRASS => 0, SUGAR => 1, ROCK => 2, MILL => 3, WATER => 4, MEAT => 5 };
use constant { CONTROLLED => 1, FOREIGN_PROGRAM => 2, DEAD => 3 };    # brains

# What the colony knows: turn, players, width, height; ants, all of this player, also dead ones and those
# of its other programs; mine, living ones that this program commands; foreign, those of other players
# in sight, which only version 2 of the protocol tells. An ant has id, x, y, dx, dy, energy, acid, brain.
# (0, 0) is at the top left, y grows downwards.
sub new {
    my ($class) = @_;
    return bless { cells => {}, visited => {} }, $class;
}

# What is in a cell; UNKNOWN where nobody has looked.
sub at {
    my ($self, $x, $y) = @_;
    return $self->{cells}{"$x,$y"} // UNKNOWN;
}

sub is_food {
    my ($self, $x, $y) = @_;
    my $content = $self->at($x, $y);
    return $content == SUGAR || $content == MILL || $content == MEAT;
}

# Whether an ant there would see something new.
sub is_news {
    my ($self, $x, $y) = @_;
    return 0 if $self->{visited}{"$x,$y"};
    for my $i ($x - 1 .. $x + 1) {
        for my $j ($y - 1 .. $y + 1) {
            return 1 if $i >= 0 && $j >= 0 && $self->at($i, $j) == UNKNOWN;
        }
    }
    return 0;
}

sub is_enemy {
    my ($self, $x, $y) = @_;
    return any { $_->{x} == $x && $_->{y} == $y } @{ $self->{foreign} };
}

# Whether a living ant stands there.
sub is_taken {
    my ($self, $x, $y) = @_;
    return 1 if any { $_->{brain} != DEAD && $_->{x} == $x && $_->{y} == $y } @{ $self->{ants} };
    return $self->is_enemy($x, $y);
}

# The nearest cell for which `$wanted->($x, $y)` holds, and the order that leads there: (x, y, order);
# nothing if there is none.
sub nearest {
    my ($self, $ant, $wanted) = @_;
    my @queue = ([@$ant{qw(x y)}]);
    my %seen  = ("$ant->{x},$ant->{y}" => 1);
    for (my $head = 0; $head < @queue; $head++) {
        my ($x, $y, @first) = @{ $queue[$head] };
        return ($x, $y, towards($ant, @first)) if $head && $wanted->($x, $y);
        for my $step ([@$ant{qw(dx dy)}], [1, 0], [0, 1], [-1, 0], [0, -1]) {
            my ($i, $j) = ($x + $step->[0], $y + $step->[1]);
            my $content = $self->at($i, $j);
            next if $seen{"$i,$j"} || $content == UNKNOWN || $content == ROCK || $content == WATER;
            # Other ants are in the way of the next step only: they move on.
            next if !$head && $self->is_taken($i, $j);
            $seen{"$i,$j"} = 1;
            push @queue, [$i, $j, $head ? @first : ($i, $j)];
        }
    }
    return;
}

# The order that brings an ant to a cell beside it.
sub towards {
    my ($ant, $x, $y) = @_;
    my ($dx, $dy) = ($x - $ant->{x}, $y - $ant->{y});
    return 'forward' if $dx == $ant->{dx} && $dy == $ant->{dy};
    return $dx == $ant->{dy} && $dy == -$ant->{dx} ? 'left' : 'right';
}

# Answers every message until the game is over. `move` returns a list of [id, order]: "forward", "left",
# "right", "rest" or "attack@20"; an ant without one rests.
sub play {
    my ($move) = @_;
    local $| = 1;    # a line leaves at once
    my $state = Protocol->new;
    print join(',', map { "$_->[0]:$_->[1]" } $move->($state)), "\n" while $state->read_message;
    return;
}

# Reads one message; false at the end of the input, and for the last one, which is not answered.
sub read_message {
    my ($self) = @_;
    my @header = numbers();
    return 0 if @header < 4;
    @$self{qw(turn players ants foreign)} = (@header[0, 2], [], []);
    # The published version has five numbers, and a line of ids. Version 2 has four, an id in each ant's
    # line, and foreign ants.
    my $published = @header == 5;
    my %is_mine = map { $_ => 1 } $published ? numbers() : ();
    for my $i (0 .. $header[1] - 1) {
        my %ant;
        @ant{qw(id x y dx dy energy acid brain)} = $published ? ($i, numbers()) : numbers();
        push @{ $self->{ants} }, \%ant;
        $self->{visited}{"$ant{x},$ant{y}"} = 1 if $ant{brain} != DEAD;
    }
    $self->{mine} = [grep { (!$published || $is_mine{ $_->{id} }) && $_->{brain} == CONTROLLED } @{ $self->{ants} }];
    if (!$published) {
        for (1 .. (numbers())[0]) {
            my %ant = (id => -1, energy => 0, acid => 0);
            @ant{qw(x y dx dy brain)} = numbers();
            push @{ $self->{foreign} }, \%ant;
        }
    }
    (@$self{qw(width height)}, my $points) = numbers();
    for (1 .. $points) {
        my ($x, $y, $content) = numbers();
        $self->{cells}{"$x,$y"} = $content;
    }
    return $header[3] == 1;
}

# A line of numbers; empty at the end of the input.
sub numbers { return split ' ', <STDIN> // '' }

1;
