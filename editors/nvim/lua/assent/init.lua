-- What other configuration calls. Everything works without a call of setup.
local M = {}

--- Sets options. It may be left out; a second call replaces what the first one set.
---@param options? assent.Config
function M.setup(options)
  require("assent.config").set(options)
  if package.loaded["assent.client"] then
    require("assent.client").configure()
  end
end

--- The model, what it does, the tokens of the context, what confines its commands ("in bubblewrap", "no sandbox"; nothing before the
--- first one), how many commands run in its background, and how many calls wait, in a few words for a statusline. It is about the
--- chat in the current window, else about one that is at work. Empty while there is nothing to say.
---@return string
function M.statusline()
  local status = package.loaded["assent.status"]
  return status and status.text() or ""
end

--- Shows what waits for an answer, as `:Assent pending`.
function M.pending()
  require("assent.pending").open()
end

--- Runs a command of the server on the place of the cursor, as `:Assent NAME`.
---@param name string Such as "send".
function M.run(name)
  require("assent.commands").run({ fargs = { name }, range = 0, line1 = 0, line2 = 0 })
end

return M
