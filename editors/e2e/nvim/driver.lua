-- Runs inside Neovim and does what the Go tests ask for over a socket: one JSON object per line, {id, op, ...}, answered
-- by {id, value} or {id, error}. The operations are described in driver_test.go. Nothing here waits, the tests poll.
local pipe = vim.uv.new_pipe(false)
local messages, progress = {}, {}

-- What the server says, kept for the tests. The editor's own handlers still run.
local function record(method, list, pick)
  local original = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(err, result, ...)
    table.insert(list, pick(result))
    if original then return original(err, result, ...) end
  end
end
record("$/progress", progress, function(r)
  return (r.value.kind or "") .. ": " .. (r.value.title or "") .. " " .. (r.value.message or "")
end)
vim.lsp.handlers["window/showMessage"] = function(_, r) table.insert(messages, r.message) end
vim.lsp.handlers["window/showMessageRequest"] = function(_, r)
  table.insert(messages, r.message)
  return vim.NIL
end
-- The menu: waiting is what an operation wants to know of it.
local waiting
vim.notify = function(text)
  table.insert(messages, text)
  if waiting and text:find("No code actions", 1, true) then waiting({}, {}, function() end) end
end
vim.ui.select = function(items, opts, choose)
  local titles = {}
  for i, item in ipairs(items) do titles[i] = opts.format_item and opts.format_item(item) or tostring(item) end
  if waiting then return waiting(items, titles, choose) end
  choose(nil)
end

local function buffer(file)
  local buf = vim.fn.bufnr("^" .. vim.fn.fnameescape(file) .. "$")
  if buf < 0 then error("no buffer for " .. file) end
  return buf
end
local function focus(file)
  local buf = buffer(file)
  local win = vim.fn.bufwinid(buf)
  if win >= 0 then
    vim.api.nvim_set_current_win(win)
  else
    if vim.fn.winnr("$") < 2 then vim.cmd("split") end
    vim.api.nvim_win_set_buf(0, buf)
  end
  return buf
end
local function place(args)
  local buf = focus(args.file)
  vim.api.nvim_win_set_cursor(0, { math.min(args.line + 1, vim.api.nvim_buf_line_count(buf)), args.character or 0 })
  return buf
end
local function client(buf)
  return vim.lsp.get_clients({ name = "assent", bufnr = buf })[1]
end
local function menu(args, use)
  place(args)
  waiting = function(...)
    waiting = nil
    use(...)
  end
  vim.lsp.buf.code_action()
end

local typed = { left = 0 }
local ops = {}

function ops.hello(_, done) done({ name = "nvim", version = tostring(vim.version()) }) end
function ops.open(args, done)
  local use = vim.api.nvim_buf_get_name(0) == "" or vim.fn.winnr("$") > 1 -- two windows at most
  vim.cmd((use and "edit " or "split ") .. vim.fn.fnameescape(args.file))
  local buf = vim.api.nvim_get_current_buf()
  local function ready()
    local c = client(buf)
    if c and c.initialized then return done(vim.bo[buf].fileformat) end
    vim.defer_fn(ready, 10)
  end
  ready()
end
function ops.text(args, done)
  local buf = buffer(args.file)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  done({ text = text .. (vim.bo[buf].eol and "\n" or ""), modified = vim.bo[buf].modified })
end
function ops.insert(args, done)
  local lines = vim.split(args.text, "\n", { plain = true })
  vim.api.nvim_buf_set_text(buffer(args.file), args.line, args.character, args.line, args.character, lines)
  done(true)
end
function ops.append(args, done)
  vim.api.nvim_buf_set_lines(buffer(args.file), -1, -1, false, vim.split(args.text, "\n", { plain = true }))
  done(true)
end
function ops.cursor(args, done)
  place(args)
  done(true)
end
function ops.where(_, done)
  done({ file = vim.api.nvim_buf_get_name(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1, editors = vim.fn.winnr("$") })
end
-- Types at the end of a line in insert mode, a letter every so many milliseconds, while other things happen.
function ops.type(args, done)
  place(args)
  if args.find then -- a line may have moved since the test looked
    vim.fn.cursor(vim.fn.line("$"), 1)
    vim.fn.search("\\V" .. args.find, "bcW")
  end
  vim.api.nvim_input("<Esc>A")
  local letters, i, timer = vim.split(args.text, ""), 0, vim.uv.new_timer()
  typed.left = #letters
  timer:start(args.every, args.every, vim.schedule_wrap(function()
    i = i + 1
    if i > #letters then return end
    vim.api.nvim_input(letters[i] == "\n" and "<CR>" or letters[i] == "<" and "<lt>" or letters[i])
    typed.left = #letters - i
    if i == #letters then
      timer:close()
      vim.api.nvim_input("<Esc>")
    end
  end))
  done(true)
end
-- What was put in may wait to be read: all is typed when insert mode is over.
function ops.typing(_, done)
  done(typed.left == 0 and vim.api.nvim_get_mode().mode ~= "n" and 1 or typed.left)
end
function ops.diagnostics(args, done)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buffer(args.file))) do
    table.insert(list, { line = d.lnum, severity = d.severity, source = d.source or "", message = d.message })
  end
  done(list)
end
-- Where "next problem" goes from the top of the file.
function ops.next_problem(args, done)
  place({ file = args.file, line = 0 })
  if vim.diagnostic.jump then
    vim.diagnostic.jump({ count = 1, float = false })
  else
    vim.diagnostic.goto_next({ float = false })
  end
  done(vim.api.nvim_win_get_cursor(0)[1] - 1)
end
function ops.actions(args, done)
  menu(args, function(_, titles, choose)
    choose(nil)
    done(titles)
  end)
end
function ops.act(args, done)
  menu(args, function(items, titles, choose)
    for i, title in ipairs(titles) do
      if vim.startswith(title, args.title) then
        choose(items[i], i)
        return done(title)
      end
    end
    choose(nil)
    done(nil, ("no action %q; there are: %s"):format(args.title, table.concat(titles, " | ")))
  end)
end
function ops.command(args, done)
  local c = client(buffer(args.file))
  local params = {
    command = args.name,
    arguments = { { uri = vim.uri_from_fname(args.file), position = { line = args.line, character = args.character or 0 } } },
  }
  local answer = function(err, result)
    if err then return done(nil, err.message) end
    done(result == nil and vim.NIL or result)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    c:request("workspace/executeCommand", params, answer)
  else
    c.request("workspace/executeCommand", params, answer)
  end
end
function ops.cancel_progress(_, done)
  for _, c in ipairs(vim.lsp.get_clients({ name = "assent" })) do
    for token in pairs(c.progress.pending) do
      local notify = c.notify
      if vim.fn.has("nvim-0.11") == 1 then notify = function(...) return c:notify(...) end end
      notify("window/workDoneProgress/cancel", { token = token })
    end
  end
  done(true)
end
local function ex(command)
  return function(args, done)
    focus(args.file)
    vim.cmd(command)
    done(true)
  end
end
ops.undo, ops.redo, ops.save, ops.reload = ex("silent undo"), ex("silent redo"), ex("silent write"), ex("silent edit!")
function ops.on_save(args, done)
  vim.api.nvim_create_autocmd("BufWritePre", { buffer = buffer(args.file), callback = function(ev)
    if args.how == "trims" then return vim.cmd([[keepjumps keeppatterns %s/\s\+$//e]]) end
    local lines = vim.api.nvim_buf_get_lines(ev.buf, 0, -1, false)
    for i, line in ipairs(lines) do lines[i] = line:gsub("%] %[", "], ["):gsub("%s+$", "") end
    vim.api.nvim_buf_set_lines(ev.buf, 0, -1, false, lines)
  end })
  done(true)
end
function ops.messages(_, done) done(messages) end
function ops.progress(_, done) done(progress) end
function ops.lua(args, done) done(assert(loadstring(args.text))() or vim.NIL) end
function ops.screen(_, done) done(vim.fn.execute("messages")) end
function ops.quit(_, done)
  done(true)
  vim.schedule(function() vim.cmd("qa!") end)
end

local function handle(line)
  local request = vim.json.decode(line)
  local answered = false
  local function done(value, err)
    if answered then return end
    answered = true
    pipe:write(vim.json.encode({ id = request.id, value = value, error = err }) .. "\n")
  end
  local op = ops[request.op]
  if not op then return done(nil, "this editor cannot " .. request.op) end
  local ok, err = pcall(op, request, done)
  if not ok then done(nil, tostring(err)) end
end

vim.o.updatetime = 100
dofile(vim.env.ASSENT_E2E_CONFIG)
pipe:connect(vim.env.ASSENT_E2E_SOCKET, function(err)
  assert(not err, err)
  local rest = ""
  pipe:read_start(vim.schedule_wrap(function(_, data)
    if not data then return vim.cmd("qa!") end
    rest = rest .. data
    while rest:find("\n", 1, true) do
      local line
      line, rest = rest:match("^(.-)\n(.*)$")
      handle(line)
    end
  end))
end)
