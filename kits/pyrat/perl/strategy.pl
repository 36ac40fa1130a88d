# Goes for the nearest cheese.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Protocol;

# The first move on the way to the cheese that is reached in the fewest turns.
sub move {
    my ($state) = @_;
    my ($turns, $first) = $state->ways($state->me->{cell});
    my ($nearest, $fewest) = ($state->me->{cell}, FAR);
    for my $cell (@{ $state->{cheese} }) {
        ($nearest, $fewest) = ($cell, $turns->[$cell]) if $turns->[$cell] < $fewest;
    }
    return $first->[$nearest];
}

play(\&move, "mybot");
