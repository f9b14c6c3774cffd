-- The list of what waits for an answer, in a small window over the text. It opens only when a person asks for it, and no key
-- answers anything but the one that is shown for it.
local M = {}

local answers = require("assent.answers")
local state = require("assent.state")
local namespace = vim.api.nvim_create_namespace("assent.pending")

---@class assent.Entry
---@field client integer
---@field waiting assent.Waiting
---@field answered? boolean

local entries = {} ---@type assent.Entry[] line by line; an entry never changes its line while the list is open
local buf, win ---@type integer?, integer?

-- Whether the window is there, in any tab, and shows the list: another buffer can be put into it by force.
---@return boolean
local function exists()
  return win ~= nil and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
end

--- Whether the list is on the screen.
---@return boolean
function M.is_open()
  return exists() and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
end

local function close()
  if exists() then
    vim.api.nvim_win_close(win, true)
  end
  buf, win, entries = nil, nil, {}
end

-- A q that was meant for the list, and comes when that has just closed by itself, would begin to record a macro.
local function close_by_itself()
  local focused = vim.api.nvim_get_current_win() == win
  close()
  local under = vim.api.nvim_get_current_buf()
  if not focused or vim.fn.maparg("q", "n") ~= "" then
    return
  end
  vim.keymap.set("n", "q", "<Nop>", { buffer = under, nowait = true, desc = "Assent: the list is closed" })
  vim.defer_fn(function()
    pcall(vim.keymap.del, "n", "q", { buffer = under })
  end, 1000)
end

---@return assent.Entry?
local function current()
  local entry = exists() and vim.api.nvim_get_current_win() == win and entries[vim.api.nvim_win_get_cursor(win)[1]]
  return entry and not entry.answered and entry or nil
end

-- Whether all of the question under the cursor is on the screen.
---@return boolean
local function is_whole()
  local line = vim.api.nvim_win_get_cursor(win)[1]
  local top, last = vim.fn.line("w0", win), vim.fn.line("w$", win)
  local size = vim.api.nvim_win_text_height(win, { start_row = line - 1, end_row = line - 1 })
  local cut = line == top and vim.fn.winsaveview().skipcol > 0
  return line >= top and line <= last and size.all - size.fill <= vim.api.nvim_win_get_height(win) and not cut
end

---@param entry assent.Entry
local function preview(entry)
  answers.preview(entry, function()
    return current() == entry
  end)
end

local approve = answers.take("assent.approve")

-- The keys, as they are shown below the list.
local keys = {
  { "p", "preview", preview },
  { "a", "approve once", function(entry)
    if is_whole() then
      return approve(entry)
    end
    require("assent.say").warn("too small for this question: <CR> goes to the chat")
    preview(entry)
  end },
  { "d", "deny", answers.take("assent.deny") },
  { "r", "deny, say why", answers.deny_with_reason },
  { "o", "more", answers.choose },
  { "<CR>", "go to the call", function(entry)
    close()
    answers.go(entry)
  end },
  { "q", "close", close },
}

---@param entry assent.Entry
---@return string
local function note_of(entry)
  return entry.answered and "answered " or vim.fs.basename(vim.uri_to_fname(entry.waiting.uri)) .. " "
end

---@param height integer
---@return table
local function layout(height)
  local width = 74
  for _, entry in ipairs(entries) do
    width = math.max(width, vim.fn.strdisplaywidth(entry.waiting.title .. note_of(entry)) + 3)
  end
  width = math.max(math.min(width, vim.o.columns - 4), 1)
  height = math.max(math.min(height, vim.o.lines - 6), 1)
  local footer = {}
  for _, key in ipairs(keys) do
    if #key[1] == 1 then -- the others are as everywhere
      vim.list_extend(footer, { { " " .. key[1], "Special" }, { " " .. key[2] .. " ", "FloatFooter" } })
    end
  end
  return {
    relative = "editor",
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " Assent: what waits for you ",
    footer = footer,
  }
end

-- The name of the chat: behind the question where there is room, else below it, so that it hides nothing.
---@param line integer
---@param width integer
local function draw_note(line, width)
  local entry, note = entries[line], note_of(entries[line])
  local fits = vim.fn.strdisplaywidth(" " .. entry.waiting.title .. " " .. note) <= width
  vim.api.nvim_buf_set_extmark(buf, namespace, line - 1, 0, {
    virt_text = fits and { { note, "Comment" } } or nil,
    virt_text_pos = "right_align",
    virt_lines = not fits and { { { " " .. note, "Comment" } } } or nil,
    line_hl_group = entry.answered and "Comment" or nil,
  })
end

local function draw()
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.tbl_map(function(entry)
    return " " .. entry.waiting.title:gsub("%c", " ")
  end, entries))
  vim.bo[buf].modifiable = false
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local config = layout(#entries)
  for line in ipairs(entries) do
    draw_note(line, config.width)
  end
  vim.api.nvim_win_set_config(win, config) -- the height depends on the width
  vim.api.nvim_win_set_config(win, layout(vim.api.nvim_win_text_height(win, {}).all))
end

--- Brings an open list up to date. What was answered stays as a line, and what is new comes last, so that a key never meets another
--- question than the one that was looked at.
function M.refresh()
  if not exists() then
    return
  end
  local waiting, left = {}, false
  for _, w in ipairs(state.waiting()) do
    waiting[w.waiting.id] = w
  end
  for _, entry in ipairs(entries) do
    local now = waiting[entry.waiting.id]
    entry.answered = now == nil
    entry.waiting = now and now.waiting or entry.waiting
    left, waiting[entry.waiting.id] = left or not entry.answered, nil
  end
  for _, w in ipairs(state.waiting()) do
    if waiting[w.waiting.id] then
      table.insert(entries, { client = w.client, waiting = w.waiting })
      left = true
    end
  end
  if not left then
    return close_by_itself()
  end
  draw()
end

--- Opens the list.
function M.open()
  if M.is_open() then
    vim.api.nvim_set_current_win(win)
    return
  end
  close() -- in another tab
  entries = vim.tbl_map(function(w)
    return { client = w.client, waiting = w.waiting }
  end, state.waiting())
  if #entries == 0 then
    require("assent.say").say("nothing waits for an answer")
    return
  end
  buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].filetype = "wipe", "assent-pending"
  win = vim.api.nvim_open_win(buf, true, layout(#entries))
  local wo = vim.wo[win][0]
  wo.cursorline, wo.wrap, wo.linebreak, wo.breakindent, wo.foldenable, wo.winfixbuf = true, true, true, true, false, true
  for _, key in ipairs(keys) do
    vim.keymap.set("n", key[1], function()
      local entry = current()
      if key[3] == close then
        close()
      elseif entry then
        key[3](entry)
      end
    end, { buffer = buf, nowait = true, desc = "Assent: " .. key[2] })
  end
  vim.keymap.set("n", "<Esc>", close, { buffer = buf, nowait = true, desc = "Assent: close" })
  draw()
end

return M
