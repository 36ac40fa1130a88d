<?php
// The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
//
// Standard output belongs to the protocol: print with fwrite(STDERR, …), which is kept in the replay.

declare(strict_types=1);

const UNKNOWN = -1;
const GRASS = 0;
const SUGAR = 1;
const ROCK = 2;
const MILL = 3;
const WATER = 4;
const MEAT = 5;

/** Brains: this program's, another program's of the same player, none. */
const CONTROLLED = 1;
const FOREIGN_PROGRAM = 2;
const DEAD = 3;

/** An ant of ours; of a foreign one only place, direction and brain are known. */
final class Ant
{
    public function __construct(
        public readonly int $id,
        public readonly int $x,
        public readonly int $y,
        public readonly int $dx,
        public readonly int $dy,
        public readonly int $energy,
        public readonly int $acid,
        public readonly int $brain,
    ) {
    }

    /** The cell in front of it. */
    public function ahead(): array
    {
        return [$this->x + $this->dx, $this->y + $this->dy];
    }
}

/** What the colony knows. (0, 0) is at the top left, y grows downwards. */
final class State
{
    public int $turn = 0;
    public int $players = 0;
    /** @var Ant[] Of this player, also dead ones and those of its other programs. */
    public array $ants = [];
    /** @var Ant[] Living ones that this program commands. */
    public array $mine = [];
    /** @var Ant[] Of other players, in sight; only in version 2 of the protocol. */
    public array $foreign = [];
    /** Of what is known. */
    public int $width = 0;
    public int $height = 0;
    private array $cells = [];
    private array $visited = [];

    /** What is in a cell; UNKNOWN where nobody has looked. */
    public function at(int $x, int $y): int
    {
        return $this->cells["$x,$y"] ?? UNKNOWN;
    }

    public function isFood(int $x, int $y): bool
    {
        return in_array($this->at($x, $y), [SUGAR, MILL, MEAT], true);
    }

    /** Whether an ant there would see something new. */
    public function isNews(int $x, int $y): bool
    {
        if (isset($this->visited["$x,$y"])) {
            return false;
        }
        for ($i = max($x - 1, 0); $i <= $x + 1; $i++) {
            for ($j = max($y - 1, 0); $j <= $y + 1; $j++) {
                if ($this->at($i, $j) === UNKNOWN) {
                    return true;
                }
            }
        }
        return false;
    }

    public function isEnemy(int $x, int $y): bool
    {
        return array_filter($this->foreign, fn (Ant $ant) => $ant->x === $x && $ant->y === $y) !== [];
    }

    /** Whether a living ant stands there. */
    public function isTaken(int $x, int $y): bool
    {
        $stands = fn (Ant $ant) => $ant->brain !== DEAD && $ant->x === $x && $ant->y === $y;
        return $this->isEnemy($x, $y) || array_filter($this->ants, $stands) !== [];
    }

    /** The nearest cell for which `wanted(x, y)` holds, and the order that leads there: [x, y, order], or null. */
    public function nearest(Ant $ant, Closure $wanted): ?array
    {
        $steps = [[$ant->dx, $ant->dy], [1, 0], [0, 1], [-1, 0], [0, -1]];
        $seen = ["$ant->x,$ant->y" => true];
        $queue = [[$ant->x, $ant->y, 0, 0]];
        for ($head = 0; $head < count($queue); $head++) {
            [$x, $y, $firstX, $firstY] = $queue[$head];
            if ($head > 0 && $wanted($x, $y)) {
                return [$x, $y, self::towards($ant, $firstX, $firstY)];
            }
            foreach ($steps as [$dx, $dy]) {
                [$i, $j] = [$x + $dx, $y + $dy];
                if (isset($seen["$i,$j"]) || in_array($this->at($i, $j), [UNKNOWN, ROCK, WATER], true)) {
                    continue;
                }
                // Other ants are in the way of the next step only: they move on.
                if ($head === 0 && $this->isTaken($i, $j)) {
                    continue;
                }
                $seen["$i,$j"] = true;
                $queue[] = $head === 0 ? [$i, $j, $i, $j] : [$i, $j, $firstX, $firstY];
            }
        }
        return null;
    }

    /** The order that brings an ant to a cell beside it. */
    private static function towards(Ant $ant, int $x, int $y): string
    {
        [$dx, $dy] = [$x - $ant->x, $y - $ant->y];
        if ($dx === $ant->dx && $dy === $ant->dy) {
            return 'forward';
        }
        return $dx === $ant->dy && $dy === -$ant->dx ? 'left' : 'right';
    }

    /** Reads one message; false at the end of the input, and for the last one, which is not answered. */
    public function read(): bool
    {
        $header = self::numbers();
        if (count($header) < 4) {
            return false;
        }
        [$this->turn, $count, $this->players, $status] = $header;
        [$this->ants, $this->mine, $this->foreign] = [[], [], []];
        // The published version has five numbers, and a line of ids. Version 2 has four, an id in each
        // ant's line, and foreign ants.
        $published = count($header) === 5;
        $ids = $published ? self::numbers() : [];
        for ($i = 0; $i < $count; $i++) {
            $ant = $published ? new Ant($i, ...self::numbers()) : new Ant(...self::numbers());
            $this->ants[] = $ant;
            if ((!$published || in_array($i, $ids, true)) && $ant->brain === CONTROLLED) {
                $this->mine[] = $ant;
            }
            if ($ant->brain !== DEAD) {
                $this->visited["$ant->x,$ant->y"] = true;
            }
        }
        if (!$published) {
            for ($left = self::numbers()[0]; $left > 0; $left--) {
                [$x, $y, $dx, $dy, $brain] = self::numbers();
                $this->foreign[] = new Ant(-1, $x, $y, $dx, $dy, 0, 0, $brain);
            }
        }
        [$this->width, $this->height, $points] = self::numbers();
        for (; $points > 0; $points--) {
            [$x, $y, $content] = self::numbers();
            $this->cells["$x,$y"] = $content;
        }
        return $status === 1;
    }

    /** A line of numbers; empty at the end of the input. */
    private static function numbers(): array
    {
        $words = preg_split('/\s+/', (string) fgets(STDIN), -1, PREG_SPLIT_NO_EMPTY);
        return array_map('intval', $words);
    }
}

final class Protocol
{
    /**
     * Answers every message until the game is over. `move` returns orders by id: "forward", "left",
     * "right", "rest" or "attack@20"; an ant without one rests.
     */
    public static function play(Closure $move): void
    {
        $state = new State();
        while ($state->read()) {
            $orders = [];
            foreach ($move($state) as $id => $order) {
                $orders[] = "$id:$order";
            }
            fwrite(STDOUT, implode(',', $orders) . "\n");
        }
    }
}
