-- What is there from the start. Modules are loaded when a file is opened or a command is used, and not before.
if vim.g.loaded_assent then
  return
end
vim.g.loaded_assent = true

vim.api.nvim_create_user_command("Assent", function(args)
  require("assent.commands").run(args)
end, {
  nargs = "*",
  range = true,
  desc = "Assent: run a command of the server, or choose what can be done here",
  complete = function(lead, line)
    return require("assent.commands").complete(lead, line)
  end,
})

-- A file is shown first and attached to afterwards.
local function attach(buf)
  vim.schedule(function()
    require("assent.client").opened(buf)
  end)
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = vim.api.nvim_create_augroup("assent", {}),
  desc = "Attach the language server of Assent",
  callback = function(args)
    attach(args.buf)
  end,
})
-- A plugin manager may load this later than the first file.
if vim.v.vim_did_enter == 1 then
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) ~= "" then
      attach(buf)
    end
  end
end

-- <Plug>(assent-new-chat) is :Assent newChat, and so on. No key is mapped.
local function plug(name)
  return "<Plug>(assent-" .. name:gsub("%u", function(letter)
    return "-" .. letter:lower()
  end) .. ")"
end
for _, name in ipairs({
  "send", "stop", "retry", "branch", "newChat", "pending", "nextHunk", "previousHunk", "keepHunk", "rejectHunk",
  "rejectWithReason", "keepAll", "rejectAll", "reviewTurn", "undoTurn", "redoTurn", "undoEdit", "resume", "restoreReply",
  "runTool", "showRequest", "showPermissions",
}) do
  vim.keymap.set("n", plug(name), "<Cmd>Assent " .. name .. "<CR>", { desc = "Assent: " .. name })
end
-- These act on a selection, too.
for _, name in ipairs({ "menu", "select", "ask", "explain", "edit", "fix", "writeTests", "document" }) do
  vim.keymap.set({ "n", "x" }, plug(name), ":Assent " .. name .. "<CR>", { silent = true, desc = "Assent: " .. name })
end
