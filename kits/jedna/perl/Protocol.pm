# The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.
package Protocol;

use strict;
use warnings;
use JSON::PP qw(decode_json);
use List::Util qw(any);

use Exporter 'import';
our @EXPORT = qw(is_wild points play);

my @COLORS = qw(red blue green yellow);

# What the bot knows when it has to act has the fields of the request: your_id, hand, top_card,
# top_color, game_state ("normal", "war_+2" or "war_wd4"), stacked_cards, already_picked, picked_card,
# other_players ({ id, cards }, the next one first), available_actions, playable_cards; and
# notifications, all since the game began. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4".
sub new {
    my ($class, $fields, $notifications) = @_;
    my %lists = map { $_ => [] } qw(hand other_players available_actions playable_cards);
    my %state = (game_state => 'normal', stacked_cards => 0, %lists, %$fields, notifications => $notifications);
    return bless \%state, $class;
}

# The color of most cards in the hand.
sub favourite_color {
    my ($self) = @_;
    my ($best, $most) = ('', -1);
    for my $color (@COLORS) {
        my $count = grep { substr($_, 0, 1) eq substr($color, 0, 1) } @{ $self->{hand} };
        ($best, $most) = ($color, $count) if $count > $most;
    }
    return $best;
}

sub is_wild { my ($card) = @_; return $card =~ /^w/ }

# What a card costs if it is still in the hand at the end.
sub points {
    my ($card) = @_;
    return 50 if is_wild($card);
    return $card =~ /^.(\d)$/ ? $1 : 20;
}

# Answers the host until the game ends. `move` returns a card and, for a wild one, a color; nothing
# draws a card (or passes, where drawing is not possible).
sub play {
    my ($move) = @_;
    local $| = 1;    # a line leaves at once
    my ($refused, @notifications) = (0);
    while (my $line = <STDIN>) {
        next if $line !~ /\S/;
        my $message = decode_json($line);
        my $type    = $message->{type} // '';
        if ($type eq 'request_action') {
            my $state = Protocol->new($message->{state}, \@notifications);
            # What was refused once would be refused again.
            my ($card, $color) = $refused ? () : $move->($state);
            $refused = 0;
            print answer($state, $card, $color), "\n";
        }
        elsif ($type eq 'notification') { push @notifications, $message->{message} }
        elsif ($type eq 'error') {
            $refused = 1;
            warn "refused: $message->{message}\n";
        }
        elsif ($type eq 'game_end') { return }
    }
    return;
}

sub answer {
    my ($state, $card, $color) = @_;
    if (!defined $card) {
        my $draws = any { $_ eq 'draw' } @{ $state->{available_actions} };
        return $draws ? '{"action":"draw"}' : '{"action":"pass"}';
    }
    $color //= $state->favourite_color;
    my $wild = is_wild($card) ? qq(,"wild_color":"$color") : '';
    return qq({"action":"play","card":"$card"$wild});
}

1;
