<?php
// The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
//
// A long thought asks `$state->stopped()` now and then: it hears `isready` and `stop` meanwhile.
// Standard output belongs to the protocol: print with fwrite(STDERR, …), which is kept in the replay.

declare(strict_types=1);

const FAR = 1_000_000; // turns to a cell that cannot be reached
const STEPS = ['UP' => [0, 1], 'DOWN' => [0, -1], 'LEFT' => [-1, 0], 'RIGHT' => [1, 0]];

/** Where a player is, and its score. */
final class Player
{
    /** While it is in mud: the cell it will arrive at. */
    public int $target;
    /** Turns until then; its moves are ignored meanwhile. */
    public int $mud = 0;
    public float $score = 0;

    public function __construct(public int $cell)
    {
        $this->target = $cell;
    }
}

/** The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. */
final class State
{
    public int $width = 0;
    public int $height = 0;
    /** @var int[] */
    public array $cheese = [];
    public Player $rat;
    public Player $python;
    /** Who this bot is: "rat" or "python". */
    public string $role = 'rat';
    public int $turn = 0;
    /** Limits in milliseconds: "move", "preprocessing", "postprocessing". */
    public array $time = [];
    /** Turns that each move takes; 0: there is a wall. */
    private array $costs = [];

    /** @param array $options What setoption said. */
    public function __construct(public array $options = [])
    {
        $this->rat = new Player(0);
        $this->python = new Player(0);
    }

    public function me(): Player
    {
        return $this->role === 'rat' ? $this->rat : $this->python;
    }

    public function other(): Player
    {
        return $this->role === 'rat' ? $this->python : $this->rat;
    }

    /** Whether a thought has to end. */
    public function stopped(): bool
    {
        return Lines::stopped();
    }

    /** The moves that lead out of a cell: [move, where to, in how many turns]. */
    public function exits(int $cell): array
    {
        $found = [];
        foreach ($this->costs[$cell] as $move => $turns) {
            if ($turns > 0) {
                $found[] = [$move, $this->neighbour($cell, $move), $turns];
            }
        }
        return $found;
    }

    /** For every cell: in how many turns it is reached from a given one, and by which first move. */
    public function ways(int $start): array
    {
        $turns = array_fill(0, $this->width * $this->height, FAR);
        $first = array_fill(0, $this->width * $this->height, 'STAY');
        $turns[$start] = 0;
        for ($queue = [$start], $head = 0; $head < count($queue); $head++) {
            $cell = $queue[$head];
            foreach ($this->exits($cell) as [$move, $to, $cost]) {
                if ($turns[$cell] + $cost < $turns[$to]) {
                    $turns[$to] = $turns[$cell] + $cost;
                    $first[$to] = $cell === $start ? $move : $first[$cell];
                    $queue[] = $to;
                }
            }
        }
        return [$turns, $first];
    }

    // ---- keeping track ----

    private function neighbour(int $cell, string $move): int
    {
        return $cell + STEPS[$move][1] * $this->width + STEPS[$move][0];
    }

    public function makeMaze(int $width, int $height): void
    {
        [$this->width, $this->height] = [$width, $height];
        for ($cell = 0; $cell < $width * $height; $cell++) {
            foreach (STEPS as $move => [$dx, $dy]) {
                [$x, $y] = [$cell % $width + $dx, intdiv($cell, $width) + $dy];
                $this->costs[$cell][$move] = (int) ($x >= 0 && $x < $width && $y >= 0 && $y < $height);
            }
        }
    }

    /** Between two cells, in both directions. */
    public function setCost(int $a, int $b, int $turns): void
    {
        foreach ([[$a, $b], [$b, $a]] as [$cell, $to]) {
            foreach ($this->exits($cell) as [$move, $leadsTo]) {
                if ($leadsTo === $to) {
                    $this->costs[$cell][$move] = $turns;
                }
            }
        }
    }

    /** One turn of one player: it moves, or struggles on in the mud whatever its move is. */
    private function advance(Player $player, string $move): void
    {
        $cost = $this->costs[$player->cell][$move] ?? 0;
        if ($player->mud > 0) {
            $player->mud--;
        } elseif ($cost > 0) {
            $player->target = $this->neighbour($player->cell, $move);
            $player->mud = $cost - 1;
        }
        if ($player->mud === 0) {
            $player->cell = $player->target;
        }
    }

    /** One turn of the game. */
    public function step(string $rats, string $pythons): void
    {
        $this->turn++;
        $this->advance($this->rat, $rats);
        $this->advance($this->python, $pythons);
        $eats = fn (Player $player) => $player->mud === 0 && in_array($player->cell, $this->cheese, true);
        $eaters = array_filter([$this->rat, $this->python], $eats);
        $shared = count($eaters) === 2 && $this->rat->cell === $this->python->cell;
        foreach ($eaters as $player) {
            $player->score += $shared ? 0.5 : 1;
        }
        $this->cheese = array_values(array_diff($this->cheese, array_map(fn (Player $p) => $p->cell, $eaters)));
    }

    /**
     * After a restart: the history of moves tells who is how deep in mud. A walk along it from the right
     * start ends where the player is now. Usually the start is the player's corner.
     */
    public function recoverMud(array $history): void
    {
        $this->turn = intdiv(count($history), 2);
        $last = $this->width * $this->height - 1;
        foreach ([$this->rat, $this->python] as $number => $player) {
            foreach ([$number === 0 ? 0 : $last, ...range(0, $last)] as $start) {
                $walker = new Player($start);
                for ($at = $number; $at < count($history); $at += 2) {
                    $this->advance($walker, $history[$at]);
                }
                if ($walker->cell === $player->cell) {
                    [$player->target, $player->mud] = [$walker->target, $walker->mud];
                    break;
                }
            }
        }
    }

    /** The cells in a text: "(0,0)-(0,1)". */
    public function cells(string $text): array
    {
        preg_match_all('/\((\d+),(\d+)\)/', $text, $found, PREG_SET_ORDER);
        return array_map(fn (array $cell) => (int) $cell[2] * $this->width + (int) $cell[1], $found);
    }
}

/** Lines, read by ourselves, so that we can look whether there are any. */
final class Lines
{
    private static string $buffer = '';
    private static array $lines = [];
    private static bool $over = false;
    private static bool $stop = false;
    public static bool $late = false;

    /** Reads what is there, and does at once what cannot wait until a thought is over. */
    private static function readMore(): void
    {
        $text = fread(STDIN, 65536);
        if ($text === false || $text === '') {
            self::$over = self::$stop = true;
            return;
        }
        $parts = explode("\n", self::$buffer . $text);
        self::$buffer = array_pop($parts);
        foreach (array_filter(array_map('trim', $parts)) as $line) {
            $word = preg_split('/\s+/', $line)[0];
            if ($word === 'isready') {
                Protocol::say('readyok');
            } elseif ($word === 'stop') {
                self::$stop = true;
            } elseif ($word === 'timeout') {
                self::$stop = self::$late = true;
            } else {
                if ($word === 'go' || $word === 'startpreprocessing') {
                    self::$stop = self::$late = false;
                }
                self::$lines[] = $line;
            }
        }
    }

    public static function stopped(): bool
    {
        while (!self::$over) {
            [$read, $write, $except] = [[STDIN], null, null];
            if (!stream_select($read, $write, $except, 0)) {
                break;
            }
            self::readMore();
        }
        return self::$stop;
    }

    /** The next line; null at the end of the input. */
    public static function next(): ?string
    {
        while (self::$lines === [] && !self::$over) {
            self::readMore();
        }
        return array_shift(self::$lines);
    }
}

final class Protocol
{
    /** Answers the engine until it is gone. */
    public static function play(Closure $move, string $name): void
    {
        stream_set_read_buffer(STDIN, 0);
        [$options, $history, $begun] = [[], [], false];
        $state = new State();
        while (($line = Lines::next()) !== null) {
            $words = preg_split('/\s+/', $line);
            $word = array_shift($words);
            $rest = implode(' ', $words);
            switch ($word) {
                case 'pyrat':
                    self::say("id name $name");
                    self::say('pyratready');
                    break;
                case 'setoption':
                    $option = explode(' value ', preg_replace('/^name /', '', $rest), 2);
                    $options[$option[0]] = $option[1] ?? '';
                    break;
                case 'newgame':
                case 'recover':
                    [$state, $history, $begun] = [new State($options), [], false];
                    break;
                case 'maze':
                    $size = self::pairs($words);
                    $state->makeMaze((int) $size['width'], (int) $size['height']);
                    break;
                case 'walls':
                case 'mud':
                    foreach ($words as $part) {
                        $turns = $word === 'walls' ? 0 : (int) substr(strrchr($part, ':'), 1) + 1;
                        $state->setCost(...[...$state->cells($part), $turns]);
                    }
                    break;
                case 'cheese':
                    $state->cheese = $state->cells($rest);
                    break;
                case 'player1':
                    $state->rat = new Player($state->cells($rest)[0]);
                    break;
                case 'player2':
                    $state->python = new Player($state->cells($rest)[0]);
                    break;
                case 'timecontrol':
                    $state->time = array_map('intval', self::pairs($words));
                    break;
                case 'moves_history':
                    [$history, $begun] = [$words, true];
                    break;
                case 'score':
                    $scores = self::pairs($words);
                    break;
                case 'youare':
                    $state->role = $rest;
                    if ($begun) {
                        $state->recoverMud($history);
                        $state->rat->score = (float) ($scores['rat'] ?? 0);
                        $state->python->score = (float) ($scores['python'] ?? 0);
                    }
                    break;
                case 'startpreprocessing':
                    self::say('preprocessingdone');
                    break;
                case 'moves':
                    // The first ones come before the first turn.
                    if ($begun) {
                        $moves = self::pairs($words);
                        $state->step($moves['rat'], $moves['python']);
                    }
                    $begun = true;
                    break;
                case 'go':
                    $begun = true;
                    $chosen = $move($state);
                    if ($chosen !== 'STAY' && !isset(STEPS[$chosen])) {
                        throw new LogicException("move returned $chosen, which is not a move");
                    }
                    Lines::stopped();
                    // After a time-out the engine has played STAY and does not want this move any more.
                    if (!Lines::$late) {
                        self::say("move $chosen");
                    }
                    break;
                case 'ready?':
                    self::say('ready');
                    break;
                case 'startpostprocessing':
                    self::say('postprocessingdone');
                    break;
                // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is
                // not known is ignored.
            }
        }
    }

    /** "rat:UP python:LEFT" as an array. */
    private static function pairs(array $words): array
    {
        $found = [];
        foreach ($words as $word) {
            [$key, $value] = explode(':', $word, 2);
            $found[$key] = $value;
        }
        return $found;
    }

    /** Writes a line, which leaves at once. */
    public static function say(string $line): void
    {
        fwrite(STDOUT, "$line\n");
    }
}
