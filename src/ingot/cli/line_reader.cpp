// The editor is libedit; a pipe needs none.
#include "ingot/cli/line_reader.h"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <iostream>

#include <histedit.h>
#include <langinfo.h>
#include <signal.h>
#include <unistd.h>

namespace ingot::cli {

namespace {

constexpr int kHistorySize = 1000;
constexpr const char* kPasteOn =
    "\033[?2004h";  // the terminal marks what is pasted, so that its line ends are no Enter
constexpr const char* kPasteOff = "\033[?2004l";
constexpr const wchar_t* kPasteEnd = L"\033[201~";

class PlainReader final : public LineReader {
 public:
  std::optional<std::string> read(const std::string&) override {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
};

class Terminal final : public LineReader {
 public:
  Terminal(const std::string& history_file, std::vector<std::string> words);
  ~Terminal() override;
  std::optional<std::string> read(const std::string& prompt) override;

 private:
  using Key = unsigned char (*)(EditLine*, int);

  static Terminal& of(EditLine* editor);
  static char* prompt(EditLine* editor) { return of(editor).prompt_.data(); }
  static unsigned char drop_line(EditLine* editor, int);
  static unsigned char suspend(EditLine* editor, int);
  static unsigned char begin_line(EditLine* editor, int);
  static unsigned char paste(EditLine* editor, int);
  static unsigned char complete(EditLine* editor, int);

  void bind(const char* keys, const char* name, Key act);

  const std::string history_file_;
  const std::vector<std::string> words_;
  EditLine* editor_;
  History* history_;
  std::string prompt_;
  bool dropped_ = false;
};

Terminal::Terminal(const std::string& history_file, std::vector<std::string> words)
    : history_file_(history_file), words_(std::move(words)) {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
  history_ = history_init();
  HistEvent event;
  history(history_, &event, H_SETSIZE, kHistorySize);
  history(history_, &event, H_SETUNIQUE, 1);
  history(history_, &event, H_LOAD, history_file_.c_str());
  editor_ = el_init("ingot", stdin, stdout, stderr);
  el_set(editor_, EL_CLIENTDATA, this);
  el_set(editor_, EL_PROMPT, &Terminal::prompt);
  el_set(editor_, EL_EDITOR, "emacs");
  el_set(editor_, EL_SIGNAL, 1);
  el_set(editor_, EL_HIST, history, history_);
  el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);  // Ctrl-C and Ctrl-Z are keys while a line is edited
  bind("^C", "ingot-drop-line", &Terminal::drop_line);
  bind("^Z", "ingot-suspend", &Terminal::suspend);
  bind("\\e\r", "ingot-begin-line", &Terminal::begin_line);
  bind("\\e[200~", "ingot-paste", &Terminal::paste);
  bind("\t", "ingot-complete", &Terminal::complete);
  bind("^R", "em-inc-search-prev", nullptr);
  el_source(editor_, nullptr);  // ~/.editrc
}

Terminal::~Terminal() {
  el_end(editor_);
  history_end(history_);
}

Terminal& Terminal::of(EditLine* editor) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return *static_cast<Terminal*>(self);
}

void Terminal::bind(const char* keys, const char* name, Key act) {
  if (act) el_set(editor_, EL_ADDFN, name, "", act);
  el_set(editor_, EL_BIND, keys, name, nullptr);
}

unsigned char Terminal::drop_line(EditLine* editor, int) {
  of(editor).dropped_ = true;
  return CC_NEWLINE;
}

// The editor's own handler restores the terminal, and redraws when the program goes on.
unsigned char Terminal::suspend(EditLine*, int) {
  raise(SIGTSTP);
  return CC_REDISPLAY;
}

unsigned char Terminal::begin_line(EditLine* editor, int) {
  return el_insertstr(editor, "\n") == 0 ? CC_REFRESH : CC_ERROR;
}

unsigned char Terminal::paste(EditLine* editor, int) {
  std::wstring text;
  for (wchar_t c = 0; !text.ends_with(kPasteEnd);) {
    if (el_wgetc(editor, &c) != 1) return CC_EOF;
    text += c == L'\r' ? L'\n' : c;
  }
  text.resize(text.size() - std::wcslen(kPasteEnd));
  return el_winsertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

// The rest of the only word that begins like the line; a beep where there are several or none.
unsigned char Terminal::complete(EditLine* editor, int) {
  const LineInfo* line = el_line(editor);
  const std::string begun(line->buffer, line->cursor);
  const std::string* found = nullptr;
  for (const std::string& word : of(editor).words_) {
    if (!word.starts_with(begun)) continue;
    if (found) return CC_ERROR;
    found = &word;
  }
  if (!found || begun.empty()) return CC_ERROR;
  return el_insertstr(editor, (found->substr(begun.size()) + ' ').c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

std::optional<std::string> Terminal::read(const std::string& prompt) {
  prompt_ = prompt;
  for (;;) {
    std::fputs(kPasteOn, stdout);
    std::fflush(stdout);
    dropped_ = false;
    int size = 0;
    const char* line = el_gets(editor_, &size);
    std::fputs(kPasteOff, stdout);
    std::fflush(stdout);
    if (!line || size <= 0) return std::nullopt;
    if (dropped_) {
      std::fputc('\n', stdout);
      continue;
    }
    std::string text(line, static_cast<size_t>(size));
    if (text.ends_with('\n')) text.pop_back();
    if (text.find_first_not_of(" \t\n") != std::string::npos) {
      HistEvent event;
      history(history_, &event, H_ENTER, text.c_str());
      history(history_, &event, H_SAVE, history_file_.c_str());
    }
    return text;
  }
}

// $XDG_STATE_HOME/ingot/NAME; "" where it cannot be made.
std::string history_path(const std::string& name) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (!(state && *state) && !home) return "";
  const std::filesystem::path folder =
      (state && *state ? std::filesystem::path(state) : std::filesystem::path(home) / ".local/state") / "ingot";
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  return ec ? "" : folder / name;
}

constexpr std::string_view kBlock = "\"\"\"";

}  // namespace

std::unique_ptr<LineReader> open_line_reader(const std::string& name, std::vector<std::string> words) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return std::make_unique<PlainReader>();
  return std::make_unique<Terminal>(history_path(name), std::move(words));
}

std::optional<std::string> read_message(LineReader& reader) {
  std::optional<std::string> line = reader.read("> ");
  if (!line) return line;
  std::string message = std::move(*line);
  if (message.starts_with(kBlock)) {
    message.erase(0, kBlock.size());
    size_t end;
    while ((end = message.find(kBlock)) == std::string::npos) {
      line = reader.read(". ");
      if (!line) return message;
      message += (message.empty() ? "" : "\n") + *line;
    }
    message.erase(end);
    if (message.ends_with('\n')) message.pop_back();
    return message;
  }
  while (message.ends_with('\\')) {
    line = reader.read(". ");
    if (!line) break;
    message.back() = '\n';
    message += *line;
  }
  return message;
}

}  // namespace ingot::cli
