-- What a plugin manager finds as the module: it puts editors/nvim, where the plugin is, on the runtimepath, and is the plugin's own
-- module from then on. So require("assent").setup() works before the plugin is loaded, too.
local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
local plugin = vim.fs.joinpath(root, "editors", "nvim")
vim.opt.runtimepath:append(plugin)
return dofile(vim.fs.joinpath(plugin, "lua", "assent", "init.lua"))
