-- Edits of the server: what stands around Neovim's own handler of workspace/applyEdit.
local M = {}

local client = require("assent.client")
local options = require("assent.config")

---@class assent.Changed
---@field buf integer
---@field chat boolean
---@field first integer The first line that is changed, from 0.
---@field last integer The last line that is changed, before the edit.
---@field added integer Lines that the edit adds to the text; less than 0: takes out.

local ours = {} ---@type table<integer, integer> the change of a chat that was ours, by b:changedtick

--- What an edit of a loaded buffer changes.
---@param uri string
---@param edits lsp.TextEdit[]
---@return assent.Changed?
local function changed(uri, edits)
  local buf = require("assent.buffers").of(uri)
  if not buf or #edits == 0 then -- without edits it is there for the version alone
    return nil
  end
  local first, last, added = math.huge, 0, 0
  for _, edit in ipairs(edits) do
    first, last = math.min(first, edit.range.start.line), math.max(last, edit.range["end"].line)
    added = added + select(2, edit.newText:gsub("\n", "")) - (edit.range["end"].line - edit.range.start.line)
  end
  return { buf = buf, chat = client.is_chat(buf), first = first, last = last, added = added }
end

---@param edit lsp.WorkspaceEdit
---@return assent.Changed[]
local function all_changed(edit)
  local all = {}
  for uri, edits in pairs(edit.changes or {}) do
    table.insert(all, changed(uri, edits))
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      table.insert(all, changed(change.textDocument.uri, change.edits))
    end
  end
  return all
end

-- Ends the undo step in which the current buffer is: setting the option does, also while somebody types.
local function end_undo_step()
  vim.go.undolevels = vim.go.undolevels
end

---@param buf integer
---@return boolean
local function typing(buf)
  return buf == vim.api.nvim_get_current_buf() and vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

-- A reply is one undo step; what a person typed and what an edit of a file does are steps of their own. Gives the state before.
---@param c assent.Changed
---@return integer
local function before(c)
  local tick = vim.api.nvim_buf_get_changedtick(c.buf)
  vim.api.nvim_buf_call(c.buf, function()
    local join = c.chat and options.get().undo_join and not typing(c.buf)
    if not (join and ours[c.buf] == tick and pcall(vim.cmd.undojoin)) then
      end_undo_step()
    end
  end)
  return tick
end

---@param c assent.Changed
---@param tick integer The state before.
local function after(c, tick)
  local now = vim.api.nvim_buf_get_changedtick(c.buf)
  -- Neovim drops an edit of an older text: the next change is then the person's.
  if typing(c.buf) or now == tick then
    vim.api.nvim_buf_call(c.buf, end_undo_step)
  end
  if now ~= tick then
    ours[c.buf] = now
  end
end

---@param buf integer
---@param problem string
local function not_saved(buf, problem)
  require("assent.say").warn(("not saved: %s: %s"):format(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":."), problem))
end

-- A file without unsaved changes before an approved edit is saved after it, so that commands see it. Text streams into chats
-- all the time: they are left alone. What another program wrote meanwhile is not written over.
---@param all assent.Changed[]
---@return integer[] save
---@return integer[] leave
local function to_save(all)
  local bufs, other = {}, {}
  if options.get().settings.saveAfterEdit == false then
    return bufs, other
  end
  for _, c in ipairs(all) do
    if not c.chat and not vim.bo[c.buf].modified and vim.bo[c.buf].buftype == "" then
      table.insert(require("assent.buffers").is_on_disk(c.buf) and bufs or other, c.buf)
    end
  end
  return bufs, other
end

-- Neovim asks before it writes a file with a new time, even if its text is the old one: that was compared, so it is not asked.
---@param buf integer
local function write(buf)
  local free = not vim.bo[buf].readonly and vim.fn.filewritable(vim.api.nvim_buf_get_name(buf)) == 1
  vim.cmd.update({ bang = free, mods = { silent = true } })
end

---@param bufs integer[]
---@param other integer[]
local function save(bufs, other)
  for _, buf in ipairs(bufs) do
    local ok, problem = pcall(vim.api.nvim_buf_call, buf, function()
      write(buf)
    end)
    if not ok then
      not_saved(buf, problem)
    end
  end
  for _, buf in ipairs(other) do
    not_saved(buf, "it changed on disk (:w! or :e!)")
  end
end

--- The handler of workspace/applyEdit.
---@param err any
---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
function M.apply(err, params, context, ...)
  local all = params and params.edit and all_changed(params.edit) or {}
  local unchanged, other = to_save(all)
  local views, closed, ticks = {}, {}, {}
  for _, c in ipairs(all) do
    if c.chat then
      views[c.buf] = require("assent.follow").before(c)
      closed[c.buf] = require("assent.folds").before(c.buf)
      require("assent.chat").announce(c.buf, c.first)
    end
    ticks[c.buf] = before(c)
  end
  local result = vim.lsp.handlers["workspace/applyEdit"](err, params, context, ...)
  for _, c in ipairs(all) do
    after(c, ticks[c.buf])
    if c.chat then
      require("assent.chat").announce(c.buf, nil)
      require("assent.folds").after(c.buf, c.first, c.last + c.added, closed[c.buf])
      require("assent.follow").after(c, views[c.buf])
    end
  end
  if result and result.applied then
    vim.schedule(function() -- the answer goes first: the server waits for it
      save(unchanged, other)
    end)
  end
  return result
end

return M
