# frozen_string_literal: true

# Breeds wherever there is room.
require_relative 'protocol'

# A child costs 5 energy; whoever has none left at the end of a tick dies.
def move(state)
  state.energy > 6 && state.free.any? ? 'replicate' : 'rest'
end

Protocol.play { |state| move(state) }
