-- nvim --headless --clean -i NONE -n -l neovim.lua NVIM PLUGIN PROGRAM: types into a file of a second Neovim, while nothing goes on and
-- while a reply streams into a chat beside it, and prints the times of the keystrokes as JSON, in milliseconds.
local nvim, plugin, program = _G.arg[1], _G.arg[2], _G.arg[3]
local rounds, keys, pause = 5, 60, 15 -- pause in milliseconds between two keystrokes

local child = vim.fn.jobstart({ nvim, "--embed", "--headless", "--clean", "-i", "NONE", "-n" }, { rpc = true })
local function lua(code, ...) return vim.rpcrequest(child, "nvim_exec_lua", code, { ... }) end
local function wait(what, code)
  if not vim.wait(30000, function() return lua(code) end, 20) then
    io.stderr:write("nothing came of: " .. what .. "\n" .. vim.inspect(lua("return vim.fn.execute('messages')")) .. "\n")
    vim.cmd("cq")
  end
end

lua([[
  local plugin, program = ...
  vim.o.columns, vim.o.lines = 120, 40
  vim.opt.runtimepath:prepend(plugin)
  require("assent").setup({ cmd = { program, "serve" }, notify = false })
  vim.cmd("runtime plugin/assent.lua")
]], plugin, program)
lua([[ vim.cmd("edit main.go"); vim.cmd("botright vsplit fast.chat.md") ]])
lua([[ vim.api.nvim_buf_set_lines(0, 0, -1, false, { "## You", "", "Hello." }) vim.cmd("silent write") vim.cmd("edit") ]])
wait("attaching", [[ return #vim.lsp.get_clients({ name = "assent", bufnr = 0 }) == 1 and vim.lsp.get_clients({ name = "assent" })[1].initialized ]])

-- One keystroke: until it has been handled and the screen is drawn.
local function key()
  local before = vim.uv.hrtime()
  lua([[ vim.api.nvim_feedkeys("ax\27", "xt", false) vim.cmd("redraw") ]])
  return (vim.uv.hrtime() - before) / 1e6
end
local function type_keys()
  local times = {}
  for _ = 1, keys do
    table.insert(times, key())
    vim.wait(pause)
  end
  return times
end

local quiet, streaming = {}, {}
for round = 1, rounds do
  lua([[ vim.cmd("wincmd t") ]])
  vim.list_extend(quiet, type_keys())
  lua([[ vim.cmd("wincmd b") vim.cmd("Assent send") ]])
  wait("the reply", ([[ return #vim.fn.getbufline("fast.chat.md", 1, "$") > 4 and vim.fn.search("^## Assistant", "nw") > 0 and select(2, table.concat(vim.fn.getbufline("fast.chat.md", 1, "$"), "\n"):gsub("t50 ", "")) >= %d ]]):format(round))
  lua([[ vim.cmd("wincmd t") ]])
  vim.list_extend(streaming, type_keys())
  wait("the end of the reply", [[ local all = vim.fn.getbufline("fast.chat.md", 1, "$") return all[#all] == "" and all[#all - 1] == "## You" or all[#all] == "## You" ]])
  lua([[ local buf = vim.fn.bufnr("fast.chat.md") vim.api.nvim_buf_set_lines(buf, -1, -1, false, { "", "Again." }) ]])
  vim.wait(500)
end
print(vim.json.encode({ quiet = quiet, streaming = streaming }))
vim.fn.jobstop(child)
vim.cmd("qall!")
