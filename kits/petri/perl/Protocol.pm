# The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
#
# Every agent is a process of its own, from its birth to its death: variables last as long as it does.
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.
package Protocol;

use strict;
use warnings;
use JSON::PP qw(decode_json);

use Exporter 'import';
our @EXPORT = qw(play read_memory write_memory);

# The eight directions, with their steps: north is y - 1.
my @DIRECTIONS = (
    ['north_west', -1, -1], ['north', 0, -1], ['north_east', 1, -1], ['west', -1, 0],
    ['east', 1, 0], ['south_west', -1, 1], ['south', 0, 1], ['south_east', 1, 1],
);

# What an agent sees in a tick: tick, agent_id, x, y, energy, width, height, generation, timeout_ms, and
# neighbors by direction, each with energy, agent_id (undef: nobody is there) and inside (false: it lies
# outside of the world).
sub new {
    my ($class, $message) = @_;
    my %state = %$message;
    @state{qw(x y)}          = @{ $message->{position}   // [0, 0] };
    @state{qw(width height)} = @{ $message->{world_size} // [1, 1] };
    $state{energy} //= 0;
    $state{neighbors} = {};
    for my $way (@DIRECTIONS) {
        my ($name, $dx, $dy) = @$way;
        my $cell = $message->{neighbors}{$name} // {};
        my ($x, $y) = ($state{x} + $dx, $state{y} + $dy);
        my $inside = $x >= 0 && $x < $state{width} && $y >= 0 && $y < $state{height};
        $state{neighbors}{$name} = { energy => $cell->{energy} // 0, agent_id => $cell->{agent_id}, inside => $inside };
    }
    return bless \%state, $class;
}

# The directions in which there is room for a child.
sub free {
    my ($self) = @_;
    my $cells = $self->{neighbors};
    return grep { $cells->{$_}{inside} && !defined $cells->{$_}{agent_id} } map { $_->[0] } @DIRECTIONS;
}

# The directions in which there is another agent, friend or foe.
sub others {
    my ($self) = @_;
    return grep { defined $self->{neighbors}{$_}{agent_id} } map { $_->[0] } @DIRECTIONS;
}

# Answers every tick until the agent dies or the game is over. `move` returns "rest", "replicate", "die"
# or "attack north" (any direction).
sub play {
    my ($move) = @_;
    local $| = 1;    # a line leaves at once
    while (my $line = <STDIN>) {
        next if $line !~ /\S/;
        my ($action, $target) = split ' ', $move->(Protocol->new(decode_json($line)));
        my $more = defined $target ? qq(,"target":"$target") : '';
        print qq({"action":"$action"$more}\n);
    }
    return;
}

# This agent's file; it is gone when the agent is.
sub memory_path { return $ENV{AGENT_MEMORY} // "/tmp/agents/$ENV{AGENT_ID}.json" }

# What was written to the agent's file; nothing at first.
sub read_memory {
    open my $file, '<', memory_path() or return '';
    local $/ = undef;
    return <$file>;
}

# Keeps a text of up to 1 MiB in the agent's file.
sub write_memory {
    my ($text) = @_;
    open my $file, '>', memory_path() or die "cannot write the memory: $!\n";
    print {$file} $text;
    return close $file;
}

1;
