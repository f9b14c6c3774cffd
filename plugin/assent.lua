-- Plugin managers load the root of a repository. The plugin is in editors/nvim.
require("assent")
vim.cmd.runtime("editors/nvim/plugin/assent.lua")
