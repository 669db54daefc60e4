"""A PettingZoo environment over any game: Board("connect4"). Action n is the n-th legal move, in board order."""

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from noughts.games import Side
from noughts.games.catalogue import game_named


class Board(AECEnv):
    metadata = {"name": "noughts_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game="tictactoe", most=512, render_mode=None):
        self.game, self.most, self.render_mode = game_named(game), most, render_mode
        self.possible_agents = ["first", "second"]
        shape = (len(self.game.start.rows), len(self.game.start.rows[0]))
        seen = Dict({"observation": Box(0, 127, shape, np.int8), "action_mask": Box(0, 1, (most,), np.int8)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {agent: Discrete(most) for agent in self.possible_agents}
        self.observation_space, self.action_space = self.observation_spaces.get, self.action_spaces.get

    def reset(self, seed=None, options=None):
        self.position, self.agents, self.agent_selection = self.game.start, self.possible_agents[:], "first"
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0.0) for _ in range(2))
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        mask = np.zeros(self.most, np.int8)
        if agent == self.agent_selection:
            mask[: len(self.position.legal_moves)] = 1
        cells = [list(row.encode("ascii")) for row in self.position.rows]
        return {"observation": np.array(cells, np.int8), "action_mask": mask}

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.position = self.position.play(self.position.legal_moves[action])
        if (outcome := self.position.outcome) is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            won = {None: 0.0, Side.FIRST: 1.0, Side.SECOND: -1.0}[outcome.winner]
            self.rewards = {"first": won, "second": -won}
        side = self.position.to_move  # the same one again in some games
        self.agent_selection = side.value if side else {"first": "second"}.get(self.agent_selection, "first")
        self._accumulate_rewards()

    def render(self):
        return str(self.position)

    def close(self):
        pass
