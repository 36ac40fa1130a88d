<?php
// The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
//
// Every agent is a process of its own, from its birth to its death: variables last as long as it does.
// Standard output belongs to the protocol: print with fwrite(STDERR, …), which is kept in the replay.

declare(strict_types=1);

/** The eight directions, with their steps: north is y - 1. */
const DIRECTIONS = [
    'north_west' => [-1, -1], 'north' => [0, -1], 'north_east' => [1, -1], 'west' => [-1, 0],
    'east' => [1, 0], 'south_west' => [-1, 1], 'south' => [0, 1], 'south_east' => [1, 1],
];

/** A cell beside the agent. */
final class Neighbor
{
    /** $agentId is null where nobody is, $inside false outside of the world. */
    public function __construct(
        public readonly int $energy,
        public readonly ?string $agentId,
        public readonly bool $inside,
    ) {
    }
}

/** What an agent sees in a tick. */
final class State
{
    public readonly int $tick;
    public readonly string $agentId;
    public readonly int $x;
    public readonly int $y;
    public readonly int $energy;
    public readonly int $width;
    public readonly int $height;
    public readonly int $generation;
    public readonly int $timeoutMs;
    /** @var array<string, Neighbor> By direction. */
    public readonly array $neighbors;

    public function __construct(array $message)
    {
        $this->tick = $message['tick'] ?? 0;
        $this->agentId = $message['agent_id'] ?? '';
        [$this->x, $this->y] = $message['position'] ?? [0, 0];
        $this->energy = $message['energy'] ?? 0;
        [$this->width, $this->height] = $message['world_size'] ?? [1, 1];
        $this->generation = $message['generation'] ?? 0;
        $this->timeoutMs = $message['timeout_ms'] ?? 1000;
        $neighbors = [];
        foreach (DIRECTIONS as $way => [$dx, $dy]) {
            [$x, $y] = [$this->x + $dx, $this->y + $dy];
            $inside = $x >= 0 && $x < $this->width && $y >= 0 && $y < $this->height;
            $cell = $message['neighbors'][$way] ?? [];
            $neighbors[$way] = new Neighbor($cell['energy'] ?? 0, $cell['agent_id'] ?? null, $inside);
        }
        $this->neighbors = $neighbors;
    }

    /** The directions in which there is room for a child. */
    public function free(): array
    {
        return array_keys(array_filter($this->neighbors, fn (Neighbor $c) => $c->inside && $c->agentId === null));
    }

    /** The directions in which there is another agent, friend or foe. */
    public function others(): array
    {
        return array_keys(array_filter($this->neighbors, fn (Neighbor $cell) => $cell->agentId !== null));
    }
}

final class Protocol
{
    /**
     * Answers every tick until the agent dies or the game is over. `move` returns "rest", "replicate",
     * "die" or "attack north" (any direction).
     */
    public static function play(Closure $move): void
    {
        while (($line = fgets(STDIN)) !== false) {
            $message = json_decode($line, true);
            if (!is_array($message)) {
                continue;
            }
            $chosen = explode(' ', $move(new State($message)), 2);
            $answer = ['action' => $chosen[0]] + (isset($chosen[1]) ? ['target' => $chosen[1]] : []);
            fwrite(STDOUT, json_encode($answer) . "\n");
        }
    }

    /** This agent's file; it is gone when the agent is. */
    public static function memoryPath(): string
    {
        return getenv('AGENT_MEMORY') ?: '/tmp/agents/' . getenv('AGENT_ID') . '.json';
    }

    /** What was written to the agent's file; nothing at first. */
    public static function readMemory(): string
    {
        return is_file(self::memoryPath()) ? (string) file_get_contents(self::memoryPath()) : '';
    }

    /** Keeps a text of up to 1 MiB in the agent's file. */
    public static function writeMemory(string $text): void
    {
        file_put_contents(self::memoryPath(), $text);
    }
}
