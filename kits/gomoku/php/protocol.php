<?php
// The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
//
// Standard output belongs to the protocol: print with fwrite(STDERR, …), which is kept in the replay.

declare(strict_types=1);

const NOBODY = 0;
const ME = 1;
const THEM = 2;
const FORBIDDEN = 3;

/** The position in which the bot has to move. */
final class State
{
    private const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

    /** cells[y][x] is NOBODY, ME, THEM or FORBIDDEN. */
    public array $cells = [];
    /** [x, y, who], in the order in which they were played. */
    public array $stones = [];
    /** What INFO said: "timeout_turn", "time_left", "rule" and so on. */
    public array $info = [];

    public function __construct(public readonly int $width, public readonly int $height)
    {
        $this->clear();
    }

    public function inside(int $x, int $y): bool
    {
        return $x >= 0 && $x < $this->width && $y >= 0 && $y < $this->height;
    }

    public function isFree(int $x, int $y): bool
    {
        return $this->inside($x, $y) && $this->cells[$y][$x] === NOBODY;
    }

    /** All cells without a stone, row by row, as [x, y]. */
    public function free(): array
    {
        $found = [];
        foreach ($this->cells as $y => $row) {
            foreach ($row as $x => $who) {
                if ($who === NOBODY) {
                    $found[] = [$x, $y];
                }
            }
        }
        return $found;
    }

    /** How many stones in a row somebody would have through this cell by playing there. */
    public function row(int $x, int $y, int $who): int
    {
        $longest = 0;
        foreach (self::DIRECTIONS as [$dx, $dy]) {
            $count = 1;
            foreach ([1, -1] as $sign) {
                [$i, $j] = [$x + $sign * $dx, $y + $sign * $dy];
                while ($this->inside($i, $j) && $this->cells[$j][$i] === $who) {
                    $count++;
                    $i += $sign * $dx;
                    $j += $sign * $dy;
                }
            }
            $longest = max($longest, $count);
        }
        return $longest;
    }

    /** How long this move may take, in milliseconds. */
    public function timeMs(): int
    {
        $limits = [(int) ($this->info['timeout_turn'] ?? 0), (int) ($this->info['time_left'] ?? 0)];
        return min([2147483647, ...array_filter($limits, fn (int $limit) => $limit > 0)]);
    }

    public function clear(): void
    {
        $this->cells = array_fill(0, $this->height, array_fill(0, $this->width, NOBODY));
        $this->stones = [];
    }

    public function put(int $x, int $y, int $who): void
    {
        $this->cells[$y][$x] = $who;
        $this->stones[] = [$x, $y, $who];
    }

    public function takeBack(int $x, int $y): void
    {
        $this->cells[$y][$x] = NOBODY;
        $kept = fn (array $stone) => $stone[0] !== $x || $stone[1] !== $y;
        $this->stones = array_values(array_filter($this->stones, $kept));
    }
}

final class Protocol
{
    private const LEAST = 5; // sides of a board
    private const MOST = 32;

    private State $state;

    private function __construct(private Closure $move, private string $name)
    {
        $this->state = new State(0, 0);
    }

    /** Answers the manager until it says END or is gone. */
    public static function play(Closure $move, string $name): void
    {
        $protocol = new Protocol($move, $name);
        while (($line = fgets(STDIN)) !== false) {
            $parts = preg_split('/\s+/', trim($line), 2);
            $word = strtoupper($parts[0]);
            if ($word === 'END') {
                return;
            }
            $protocol->handle($word, $parts[1] ?? '');
        }
    }

    private function handle(string $word, string $rest): void
    {
        $cell = self::numbers($rest);
        $isFree = count($cell) === 2 && $this->state->isFree(...$cell);
        switch ($word) {
            case 'START':
            case 'RECTSTART':
                $fits = array_filter($cell, fn (int $side) => $side >= self::LEAST && $side <= self::MOST);
                $sides = $word === 'START' ? 1 : 2;
                if (count($cell) === $sides && count($fits) === $sides) {
                    $this->state = new State($cell[0], $cell[$sides - 1]);
                    self::say('OK');
                } else {
                    self::say('ERROR boards have sides of ' . self::LEAST . ' to ' . self::MOST);
                }
                break;
            case 'RESTART':
                $this->state->clear();
                self::say('OK');
                break;
            case 'INFO':
                $info = preg_split('/\s+/', $rest, 2);
                $this->state->info[strtolower($info[0])] = $info[1] ?? '';
                break;
            case 'BEGIN':
                $this->answer();
                break;
            case 'TURN':
                if ($isFree) {
                    $this->state->put($cell[0], $cell[1], THEM);
                    $this->answer();
                } else {
                    self::say("ERROR not a free cell: $rest");
                }
                break;
            case 'BOARD':
                $this->state->clear();
                foreach (self::untilDone() as $stone) {
                    if (count($stone) === 3 && $this->state->isFree($stone[0], $stone[1])) {
                        $this->state->put(...$stone);
                    }
                }
                $this->answer();
                break;
            case 'SWAP2BOARD':
                $this->state->clear();
                // Whoever answers with one cell takes White: black stones are the other's then.
                foreach (self::untilDone() as $number => $stone) {
                    if (count($stone) >= 2 && $this->state->isFree($stone[0], $stone[1])) {
                        $this->state->put($stone[0], $stone[1], $number % 2 === 0 ? THEM : ME);
                    }
                }
                [$x, $y] = [intdiv($this->state->width, 2), intdiv($this->state->height, 2)];
                if ($this->state->stones !== []) {
                    $this->answer();
                } else {
                    self::say(sprintf('%d,%d %d,%d %d,%d', $x, $y, $x + 1, $y, $x - 1, $y + 2));
                }
                break;
            case 'PLAY': // comes only after SUGGEST, which this bot never says
                if ($isFree) {
                    $this->state->put($cell[0], $cell[1], ME);
                    self::say("$cell[0],$cell[1]");
                } else {
                    self::say("ERROR not a free cell: $rest");
                }
                break;
            case 'TAKEBACK':
                if (count($cell) === 2 && $this->state->inside(...$cell)) {
                    $this->state->takeBack(...$cell);
                    self::say('OK');
                } else {
                    self::say("ERROR not a cell: $rest");
                }
                break;
            case 'ABOUT':
                self::say("name=\"$this->name\", version=\"1.0\", author=\"\", country=\"\"");
                break;
            case '':
                break;
            default:
                self::say("UNKNOWN $word");
        }
    }

    private function answer(): void
    {
        if ($this->state->free() === []) {
            self::say('ERROR there is no free cell');
            return;
        }
        [$x, $y] = ($this->move)($this->state);
        if (!$this->state->isFree($x, $y)) {
            throw new LogicException("move returned $x,$y, which is not a free cell");
        }
        $this->state->put($x, $y, ME);
        self::say("$x,$y");
    }

    /** The lines of a position as lists of numbers. */
    private static function untilDone(): array
    {
        $found = [];
        while (($line = fgets(STDIN)) !== false && strtoupper(trim($line)) !== 'DONE') {
            $found[] = self::numbers($line);
        }
        return $found;
    }

    /** The numbers of "7,8" or "15"; nothing if it is something else. */
    private static function numbers(string $text): array
    {
        $parts = array_map('trim', explode(',', $text));
        $numbers = preg_grep('/^-?\d{1,9}$/', $parts);
        return count($numbers) === count($parts) ? array_map('intval', $parts) : [];
    }

    /** Writes a line, which leaves at once. */
    private static function say(string $line): void
    {
        fwrite(STDOUT, "$line\n");
    }
}
