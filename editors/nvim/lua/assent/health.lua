-- :checkhealth assent
local M = {}

---@param command string[]
---@return vim.SystemCompleted?
local function run(command)
  local ok, result = pcall(function()
    return vim.system(command, { text = true }):wait(30000)
  end)
  return ok and result or nil
end

local function editor()
  vim.health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 0 then
    return vim.health.error("Neovim " .. version .. " is too old", "Use Neovim 0.10 or newer.")
  end
  vim.health.ok("Neovim " .. version)
  if vim.fn.has("nvim-0.11") == 0 then
    vim.health.info("Before 0.11 there is no vim.lsp.config(): options of the server are those of setup(). `CTRL-W d` shows a problem; `gra` is not there: use :Assent.")
  end
end

---@return string? program
local function program()
  vim.health.start("The program")
  local given = require("assent.client").program()
  if not given then
    vim.health.info("A function of your configuration starts it.")
    return nil
  end
  local path = vim.fn.exepath(given)
  if path == "" then
    vim.health.error("There is no program " .. given .. " on PATH", "Put it there, or set `cmd` by require('assent').setup().")
    return nil
  end
  local result = run({ path, "version" })
  if not result or result.code ~= 0 then
    vim.health.error(path .. " does not say its version", result and result.stderr or nil)
    return nil
  end
  vim.health.ok(path .. ": " .. vim.trim(result.stdout))
  return path
end

local function servers()
  vim.health.start("Language servers")
  local clients = vim.lsp.get_clients({ name = "assent" })
  if #clients == 0 then
    vim.health.info("None runs: open a file.")
  end
  for _, client in ipairs(clients) do
    local bufs = vim.tbl_count(client.attached_buffers)
    vim.health.ok(("In %s, attached to %d buffer%s"):format(client.config.root_dir or "?", bufs, bufs == 1 and "" or "s"))
  end
end

---@param path string
local function doctor(path)
  vim.health.start("What the program says about this machine (assent doctor)")
  local result = run({ path, "doctor" })
  if not result then
    return vim.health.error("`assent doctor` could not be run")
  end
  for line in vim.gsplit(result.stdout, "\n", { trimempty = true }) do
    local kind, text = line:match("^(%S+)%s+(.*)$")
    if kind == "ok" then
      vim.health.ok(text)
    elseif kind == "MISSING" then
      vim.health.error(text)
    elseif kind == "note" then
      vim.health.info(text)
    else
      vim.health.warn(line)
    end
  end
  if result.stderr ~= "" then
    vim.health.warn(vim.trim(result.stderr))
  end
end

function M.check()
  editor()
  local path = program()
  servers()
  if path then
    doctor(path)
  end
end

return M
