# Plays where the longest row would be, its own or the opponent's.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(max);
use Protocol;

# The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
sub move {
    my ($state) = @_;
    my ($best, $most);
    for my $cell ($state->free) {
        my ($x, $y) = @$cell;
        my $row = max(2 * $state->row($x, $y, ME) + 1, 2 * $state->row($x, $y, THEM));
        my $value = 1000 * $row - abs($x - int($state->{width} / 2)) - abs($y - int($state->{height} / 2));
        ($best, $most) = ($cell, $value) if !defined $most || $value > $most;
    }
    return @$best;
}

play(\&move, "mybot");
