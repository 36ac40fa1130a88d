# Breeds wherever there is room.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Protocol;

# A child costs 5 energy; whoever has none left at the end of a tick dies.
sub move {
    my ($state) = @_;
    return $state->{energy} > 6 && $state->free ? 'replicate' : 'rest';
}

play(\&move);
