-- The text for a statusline, from what the server said last. It asks nobody anything.
local M = {}

local state = require("assent.state")

---@param n integer
---@return string
local function short(n)
  if n < 1000 then
    return tostring(n)
  end
  return (("%.1fk"):format(n / 1000):gsub("%.0k$", "k"))
end

--- The chat to tell of: that in the current window, else one that is at work.
---@return assent.ChatState?
local function chat()
  local all = state.chats()
  local here = vim.uri_from_bufnr(vim.api.nvim_get_current_buf())
  for _, c in ipairs(all) do
    if c.uri == here then
      return c
    end
  end
  for _, c in ipairs(all) do
    if c.state ~= "idle" then
      return c
    end
  end
end

---@return string
function M.text()
  local parts = {}
  local c = chat()
  if c then
    if c.model and c.model ~= "" then
      table.insert(parts, c.model)
    end
    table.insert(parts, c.state)
    if c.size > 0 then
      table.insert(parts, short(c.used) .. "/" .. short(c.size))
    end
    if c.confined then
      table.insert(parts, c.confined == "nothing" and "no sandbox" or "in " .. c.confined)
    end
    if c.background then
      table.insert(parts, c.background .. " in the background")
    end
  end
  local waits = #state.waiting()
  if waits > 0 then
    table.insert(parts, waits == 1 and "1 waits for you" or waits .. " wait for you")
  end
  return table.concat(parts, " · ")
end

return M
