-- The language server: how it is started, found and asked.
local M = {}

local generated = require("assent.generated")
local options = require("assent.config")
local name = "assent"
local modern = vim.fn.has("nvim-0.11") == 1 -- vim.lsp.config, and methods of clients

---@param module string
---@param method string
local function handler(module, method)
  return function(...)
    return require(module)[method](...)
  end
end

---@param buf integer
---@return boolean
local function is_file(buf)
  local file = vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and vim.api.nvim_buf_get_name(buf)
  return file and file ~= "" and not file:find("^%a[%w+.-]+://") or false
end

---@param buf integer
---@return boolean
function M.is_chat(buf)
  return vim.api.nvim_buf_is_valid(buf) and vim.endswith(vim.api.nvim_buf_get_name(buf), ".chat.md")
end

---@param buf integer
---@return string
local function root(buf)
  return is_file(buf) and vim.fs.root(buf, options.get().root_markers) or vim.fn.getcwd()
end

--- How the server is started, without the folder.
---@return table
local function server()
  local config = options.get()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = {
    assent = { state = true, changes = true, messages = true, restart = true, output = true, saves = true, editor = require("assent.editor").names },
  }
  local handlers = require("assent.editor").handlers()
  handlers[generated.methods.state] = handler("assent.state", "receive")
  handlers[generated.methods.changes] = handler("assent.hunks", "receive")
  handlers[generated.methods.output] = handler("assent.output", "receive")
  handlers[generated.methods.restart] = function(_, params) ---@param params assent.RestartWanted
    require("assent.say").say(":Assent restart, so that what you changed counts: " .. table.concat(params.settings, ", "))
  end
  handlers["workspace/applyEdit"] = handler("assent.edits", "apply")
  handlers["window/showMessage"] = handler("assent.say", "message")
  return {
    name = name,
    cmd = config.cmd,
    capabilities = capabilities,
    handlers = handlers,
    settings = { assent = next(config.settings) and config.settings or vim.empty_dict() },
    on_exit = vim.schedule_wrap(function(_, _, id)
      require("assent.hunks").forget(id)
      require("assent.state").forget(id)
    end),
  }
end

-- An event, and not on_attach of the configuration, which a user may declare for themselves.
vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("assent.client", {}),
  callback = function(args)
    local client = vim.lsp.get_client_by_id(args.data.client_id)
    if client and client.name == name then
      require("assent.buffers").attached(args.buf)
    end
  end,
})

local configured, enabled = false, false
local theirs ---@type table? what the user declared by vim.lsp.config before

--- Declares the server to Neovim. A second call takes options that changed, for servers that start from then on.
function M.configure()
  configured = true
  if not modern then
    return
  end
  local config = server()
  config.root_dir = function(buf, use)
    if is_file(buf) and (options.get().autostart or M.is_chat(buf)) then
      use(root(buf))
    end
  end
  theirs = theirs or vim.lsp.config[name] or {}
  local merged, all = vim.tbl_deep_extend("force", config, theirs), vim.iter({ config.on_exit, theirs.on_exit or {} }):flatten():totable()
  merged.on_exit = function(...) -- ours clears up
    for _, on_exit in ipairs(all) do
      on_exit(...)
    end
  end
  vim.lsp.config(name, merged)
end

local complained = false

--- The program; nil: a function of the user's configuration starts the server.
---@return string?
function M.program()
  if modern and not configured then
    M.configure()
  end
  local cmd = modern and vim.lsp.config[name].cmd or options.get().cmd
  return type(cmd) == "table" and cmd[1] or nil
end

---@return boolean
local function found()
  local program = M.program()
  return program == nil or vim.fn.executable(program) == 1
end

--- Whether the program is there; says once that it is not.
---@return boolean
local function installed()
  local there = found()
  if not there and not complained then
    complained = true
    require("assent.say").warn(("no program %s: see :checkhealth assent"):format(M.program()))
  end
  return there
end

--- How the server is started for a buffer: with what the user declared by vim.lsp.config, where Neovim has that.
---@param buf integer
---@return table
local function config_for(buf)
  local config = modern and vim.deepcopy(vim.lsp.config[name]) or server()
  config.root_dir = root(buf)
  return config
end

--- A file was opened: the server of its workspace is attached to it.
---@param buf integer
function M.opened(buf)
  if not is_file(buf) or not (options.get().autostart or M.is_chat(buf)) then
    return
  end
  -- Who opens files without the program is told by the first chat, not by each file.
  if not found() and not M.is_chat(buf) or not installed() then
    return
  end
  if not modern then
    vim.lsp.start(config_for(buf), { bufnr = buf })
    return
  end
  if not enabled then
    enabled = true
    vim.lsp.enable(name)
  end
  -- Neovim starts servers by the event FileType, which a file of no known type does not have.
  local wanted = not vim.lsp.is_enabled or vim.lsp.is_enabled(name)
  if wanted and vim.bo[buf].filetype == "" and #vim.lsp.get_clients({ name = name, bufnr = buf }) == 0 then
    vim.lsp.start(config_for(buf), { bufnr = buf })
  end
end

-- The server to ask from a buffer. A file has its own; for what is no file it is the only one that runs, or that of the folder.
---@param buf integer
---@return vim.lsp.Client?
local function of(buf)
  local own = vim.lsp.get_clients({ name = name, bufnr = buf })[1]
  if own or is_file(buf) then
    return own
  end
  local all = vim.lsp.get_clients({ name = name })
  return #all == 1 and all[1] or vim.iter(all):find(function(client)
    return client.config.root_dir == root(buf)
  end)
end

-- Starts the server for a buffer, or attaches the one of its workspace.
---@param buf integer
---@return integer? id
local function start(buf)
  if is_file(buf) then
    return vim.lsp.start(config_for(buf), { bufnr = buf })
  elseif #vim.lsp.get_clients({ name = name }) > 1 then
    require("assent.say").warn("several workspaces are open: go to a file of one")
    return nil
  end
  return modern and vim.lsp.start(config_for(buf), { attach = false }) or vim.lsp.start_client(config_for(buf))
end

-- Starts a server for its buffers as soon as the one before has ended.
---@param id integer
---@param bufs integer[]
local function after(id, bufs)
  if vim.lsp.get_client_by_id(id) then
    return vim.defer_fn(function()
      after(id, bufs)
    end, 20)
  end
  for _, buf in ipairs(bufs) do
    if is_file(buf) then
      vim.lsp.start(config_for(buf), { bufnr = buf })
    end
  end
end

--- Ends the servers, and starts them again for the same files.
function M.restart()
  local running = vim.lsp.get_clients({ name = name })
  if #running == 0 then
    return require("assent.say").warn("no server runs")
  end
  for _, client in ipairs(running) do
    local bufs = vim.tbl_keys(client.attached_buffers)
    local stop = client.stop ---@type fun(self?: vim.lsp.Client)
    stop(modern and client or nil) -- a method since Neovim 0.11
    after(client.id, bufs)
  end
end

--- Calls use with the server of a buffer, which is started if there is none, as soon as it can be asked.
---@param buf integer
---@param use fun(client: vim.lsp.Client)
function M.with(buf, use)
  local client = of(buf)
  if client and client.initialized then
    return use(client)
  end
  local id = client and client.id or installed() and start(buf)
  if not id then
    return
  end
  local tries = 0
  local function try()
    client = vim.lsp.get_client_by_id(id)
    if client and client.initialized then
      return use(client)
    end
    tries = tries + 1
    if tries < 500 then
      return vim.defer_fn(try, 20)
    end
    require("assent.say").warn("the server did not start: see :checkhealth assent")
  end
  try()
end

return M
