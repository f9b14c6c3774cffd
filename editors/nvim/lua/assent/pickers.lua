-- A list to choose a place of a file from, with a preview of it: by a picker that is installed, else by vim.ui.select,
-- to which other pickers give a preview, too.
local M = {}

---@class assent.Row
---@field text string What the list shows.
---@field path string
---@field line integer From 1.

---@alias assent.Pick fun(title: string, rows: assent.Row[], choose: fun(row: assent.Row))

---@type table<string, assent.Pick>
local pickers = {}

function pickers.snacks(title, rows, choose)
  local items = {}
  for i, row in ipairs(rows) do
    items[i] = { idx = i, text = row.text, file = row.path, pos = { row.line, 0 }, row = row }
  end
  require("snacks").picker.pick({
    title = title,
    items = items,
    format = "text",
    preview = "file",
    confirm = function(picker, item)
      picker:close()
      if item then
        choose(item.row)
      end
    end,
  })
end

pickers["fzf-lua"] = function(title, rows, choose)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = ("%d\t%s"):format(i, row.text)
  end
  local function row_of(line)
    return rows[tonumber(line:match("^%d+"))]
  end
  local previewer = require("fzf-lua.previewer.builtin").buffer_or_file:extend()
  function previewer:new(o, opts, win)
    previewer.super.new(self, o, opts, win)
    return setmetatable(self, previewer)
  end
  function previewer:parse_entry(line) ---@diagnostic disable-line: unused-local
    local row = row_of(line)
    return { path = row.path, line = row.line, col = 1 }
  end
  require("fzf-lua").fzf_exec(lines, {
    prompt = title .. "> ",
    previewer = previewer,
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2.." }, -- the number is not shown
    actions = {
      ["default"] = function(selected)
        if selected and selected[1] then
          choose(row_of(selected[1]))
        end
      end,
    },
  })
end

function pickers.telescope(title, rows, choose)
  local actions, conf = require("telescope.actions"), require("telescope.config").values
  local function entry(row)
    return { value = row, display = row.text, ordinal = row.text, filename = row.path, lnum = row.line, col = 1 }
  end
  require("telescope.pickers").new({}, {
    prompt_title = title,
    finder = require("telescope.finders").new_table({ results = rows, entry_maker = entry }),
    sorter = conf.generic_sorter({}),
    previewer = conf.grep_previewer({}),
    attach_mappings = function(prompt)
      actions.select_default:replace(function()
        local chosen = require("telescope.actions.state").get_selected_entry()
        actions.close(prompt)
        if chosen then
          choose(chosen.value)
        end
      end)
      return true
    end,
  }):find()
end

pickers["mini.pick"] = function(title, rows, choose)
  local items = {}
  for i, row in ipairs(rows) do
    items[i] = { text = row.text, path = row.path, lnum = row.line, col = 1, row = row }
  end
  -- It waits for the choice, which is made once its windows are gone.
  local item = require("mini.pick").start({ source = { name = title, items = items, choose = function() end } })
  if item then
    choose(item.row)
  end
end

-- Whether a person who has a picker wants it for lists: they may have its plugin for something else.
local wanted = {
  snacks = function(snacks) return vim.tbl_get(snacks, "config", "picker", "enabled") == true end,
  ["mini.pick"] = function() return _G.MiniPick ~= nil end, -- it was set up
}

local order = { "snacks", "fzf-lua", "telescope", "mini.pick" }

--- A text of a buffer without a file, in which nothing else begins.
---@param row assent.Row
---@return { buf: integer, pos: [integer, integer] }?
local function preview(row)
  local ok, lines = pcall(vim.fn.readfile, row.path)
  if not ok then
    return nil
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "wipe", false
  pcall(vim.treesitter.start, buf, "markdown") -- colours, if it can
  return { buf = buf, pos = { math.min(row.line, #lines), 0 } }
end

function pickers.select(title, rows, choose)
  local options = {
    prompt = title,
    kind = "assent-chats",
    format_item = function(row) return row.text end,
    preview_item = preview,
  }
  vim.ui.select(rows, options, function(row)
    if row then
      choose(row)
    end
  end)
end

---@return string
local function name_of()
  local name = require("assent.config").get().picker
  if name ~= "auto" then
    return name
  end
  for _, each in ipairs(order) do
    local ok, module = pcall(require, each)
    if ok and (not wanted[each] or wanted[each](module)) then
      return each
    end
  end
  return "select"
end

--- Shows rows to choose from.
---@param title string
---@param rows assent.Row[]
---@param choose fun(row: assent.Row)
function M.pick(title, rows, choose)
  local name = name_of()
  local pick = pickers[name]
  if pick and pick ~= pickers.select then
    local ok, problem = pcall(pick, title, rows, choose)
    if ok then
      return
    end
    require("assent.say").warn(("the picker %s cannot be used: %s"):format(name, problem))
  elseif not pick then
    require("assent.say").warn(("there is no picker %q; there are: auto, select, %s"):format(name, table.concat(order, ", ")))
  end
  pickers.select(title, rows, choose)
end

return M
