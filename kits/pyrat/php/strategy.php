<?php
// Goes for the nearest cheese.

declare(strict_types=1);

require __DIR__ . '/protocol.php';

/** The first move on the way to the cheese that is reached in the fewest turns. */
function move(State $state): string
{
    [$turns, $first] = $state->ways($state->me()->cell);
    [$nearest, $fewest] = [$state->me()->cell, FAR];
    foreach ($state->cheese as $cell) {
        if ($turns[$cell] < $fewest) {
            [$nearest, $fewest] = [$cell, $turns[$cell]];
        }
    }
    return $first[$nearest];
}

Protocol::play(move(...), "mybot");
