# Sends every ant to the nearest food, or to where it sees something new.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Protocol;

# An order for each ant; two ants never go for the same cell.
sub move {
    my ($state) = @_;
    my (@orders, %goals);
    for my $ant (@{ $state->{mine} }) {
        if ($state->is_enemy($ant->{x} + $ant->{dx}, $ant->{y} + $ant->{dy}) && $ant->{acid} > 0) {
            push @orders, [$ant->{id}, "attack\@$ant->{acid}"];
            next;
        }
        my @found = $state->nearest($ant, sub { $state->is_food(@_) && !$goals{"$_[0],$_[1]"} });
        @found = $state->nearest($ant, sub { $state->is_news(@_) && !$goals{"$_[0],$_[1]"} }) if !@found;
        next if !@found;
        my ($x, $y, $order) = @found;
        $goals{"$x,$y"} = 1;
        push @orders, [$ant->{id}, $order];
    }
    return @orders;
}

play(\&move);
