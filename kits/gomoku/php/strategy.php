<?php
// Plays where the longest row would be, its own or the opponent's.

declare(strict_types=1);

require __DIR__ . '/protocol.php';

/** The best free cell: five of mine, five of theirs, four of mine, … and then near the middle. */
function move(State $state): array
{
    $best = [];
    $most = PHP_INT_MIN;
    foreach ($state->free() as [$x, $y]) {
        $row = max(2 * $state->row($x, $y, ME) + 1, 2 * $state->row($x, $y, THEM));
        $value = 1000 * $row - abs($x - intdiv($state->width, 2)) - abs($y - intdiv($state->height, 2));
        if ($value > $most) {
            [$best, $most] = [[$x, $y], $value];
        }
    }
    return $best;
}

Protocol::play(move(...), "mybot");
