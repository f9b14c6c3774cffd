-- All that is said to the person. Neovim takes no text while it waits for a key below a long message, and a reply streams in: so one line
-- is shown, and the whole is kept for :Assent messages.
local M = {}

local most = 100
local said = {} ---@type string[] the newest last
local more = " … (:Assent messages)"

--- Says something, in one line.
---@param text string
---@param level? integer of vim.log.levels
function M.say(text, level)
  text = "Assent: " .. text:gsub("%s+", " ")
  table.insert(said, text)
  if #said > most then
    table.remove(said, 1)
  end
  local room = vim.v.echospace
  if vim.fn.strdisplaywidth(text) > room then
    text = vim.fn.printf("%." .. math.max(room - vim.fn.strdisplaywidth(more), 0) .. "S", text) .. more
  end
  vim.cmd.redraw() -- two messages at once would want a key, too
  vim.notify(text, level)
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

--- Shows what was said, the newest last.
function M.show()
  if #said == 0 then
    return M.say("nothing was said yet")
  end
  require("assent.float").show({ title = "Assent: messages", text = table.concat(said, "\n") })
end

--- The handler of window/showMessage.
---@param err any
---@param params lsp.ShowMessageParams
function M.message(err, params)
  local levels = vim.log.levels
  M.say(err and err.message or params.message, ({ levels.ERROR, levels.WARN })[params.type])
end

return M
