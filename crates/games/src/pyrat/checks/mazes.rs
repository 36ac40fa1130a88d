//! Mazes for scripts, as a bot is told of them.

/// A maze in which nobody is near any cheese for three turns.
pub(super) const FAR: &str = "maze height:5 width:7\nwalls (0,0)-(0,1) (1,1)-(2,1)\nmud (3,3)-(3,4):3\n\
    cheese (0,4) (3,2) (6,0)\nplayer1 rat (0,0)\nplayer2 python (6,4)";
/// Nothing but cells and one piece of cheese.
pub(super) const BARE: &str =
    "maze height:3 width:4\nwalls\nmud\ncheese (3,0)\nplayer1 rat (0,0)\nplayer2 python (3,2)";
/// Both stand on the only cheese and cannot leave: half a point each after one turn.
pub(super) const SHARED: &str = "maze height:3 width:3\nwalls (0,1)-(1,1) (1,0)-(1,1) (1,1)-(1,2) (1,1)-(2,1)\nmud\n\
    cheese (1,1)\nplayer1 rat (1,1)\nplayer2 python (1,1)";
