-- Signs beside the lines that turns changed and that wait for a decision, from assent/changes.
local M = {}

local options = require("assent.config")
local namespace = vim.api.nvim_create_namespace("assent.hunks")
local by_file = {} ---@type table<string, { client: integer, hunks: assent.FileChange[] }> by URI
local shown = {} ---@type table<integer, table<integer, assent.FileChange>> by buffer, then by mark of the first line

for group, link in pairs({ AssentAdded = "Added", AssentChanged = "Changed", AssentRemoved = "Removed", AssentDeleted = "DiffDelete" }) do
  vim.api.nvim_set_hl(0, group, { link = link, default = true })
end

---@param hunk assent.FileChange
---@return string text
---@return string group
local function sign(hunk)
  local text = options.get().hunks.text
  if hunk.new == "" then
    return text.removed, "AssentRemoved"
  elseif hunk.old == "" then
    return text.added, "AssentAdded"
  end
  return text.changed, "AssentChanged"
end

-- The first and the last line of a hunk, from 0. Of lines that were taken out it is the line that stands there now.
---@param hunk assent.FileChange
---@param count integer
local function lines_of(hunk, count)
  local first, last = hunk.range.start.line, hunk.range["end"].line
  if last > first and hunk.range["end"].character == 0 then
    last = last - 1
  end
  return math.min(first, count - 1), math.min(last, count - 1)
end

---@param hunk assent.FileChange
---@return table[]?
local function deleted(hunk)
  if not options.get().hunks.deleted or hunk.old == "" then
    return nil
  end
  return vim.tbl_map(function(line)
    return { { line, "AssentDeleted" } }
  end, vim.split((hunk.old:gsub("\n$", "")), "\n", { plain = true }))
end

--- Shows the hunks of a buffer.
---@param buf integer
function M.show(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  shown[buf] = {}
  local count = vim.api.nvim_buf_line_count(buf)
  for _, hunk in ipairs((by_file[vim.uri_from_bufnr(buf)] or {}).hunks or {}) do
    local first, last = lines_of(hunk, count)
    local text, group = sign(hunk)
    local signs = options.get().hunks.signs
    for line = first, last do
      local mark = vim.api.nvim_buf_set_extmark(buf, namespace, line, 0, {
        sign_text = signs and text or nil,
        sign_hl_group = signs and group or nil,
        priority = 20, -- before those of version control
        virt_lines = line == first and deleted(hunk) or nil,
        virt_lines_above = line == first or nil,
      })
      if line == first then
        shown[buf][mark] = hunk
      end
    end
  end
end

---@param uri string
local function show_file(uri)
  local buf = require("assent.buffers").of(uri)
  if buf then
    M.show(buf)
  end
end

--- The handler of assent/changes.
---@param _ any
---@param changes assent.Changes
---@param context { client_id: integer }
function M.receive(_, changes, context)
  by_file[changes.uri] = #changes.hunks > 0 and { client = context.client_id, hunks = changes.hunks } or nil
  show_file(changes.uri)
end

--- A server ended: what it told of cannot be decided any more.
---@param client integer
function M.forget(client)
  for uri, of in pairs(by_file) do
    if of.client == client then
      by_file[uri] = nil
      show_file(uri)
    end
  end
end

-- The hunks of the current buffer, with the lines where they stand now, from 0, in order.
---@return { line: integer, last: integer, hunk: assent.FileChange }[]
local function here()
  local buf, out = vim.api.nvim_get_current_buf(), {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {})) do
    local hunk = (shown[buf] or {})[mark[1]]
    if hunk then
      table.insert(out, { line = mark[2], last = mark[2], hunk = hunk })
    elseif #out > 0 then
      out[#out].last = mark[2]
    end
  end
  return out
end

--- The hunk on the line of the cursor.
---@return assent.FileChange?
function M.at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, place in ipairs(here()) do
    if line >= place.line and line <= place.last then
      return place.hunk
    end
  end
end

--- Goes to the next hunk, or with -1 to the one before; behind the last one comes the first.
---@param step 1|-1
function M.jump(step)
  local places = here()
  if #places == 0 then
    require("assent.say").say("no change waits for a decision in this file")
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = step > 0 and places[1] or places[#places]
  for i = step > 0 and 1 or #places, step > 0 and #places or 1, step do
    if (places[i].line - line) * step > 0 then
      found = places[i]
      break
    end
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { found.line + 1, 0 })
end

return M
