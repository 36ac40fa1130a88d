<?php
// Breeds wherever there is room.

declare(strict_types=1);

require __DIR__ . '/protocol.php';

/** A child costs 5 energy; whoever has none left at the end of a tick dies. */
function move(State $state): string
{
    return $state->energy > 6 && $state->free() !== [] ? 'replicate' : 'rest';
}

Protocol::play(move(...));
