// Lines that a user types, or that stand in a pipe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ingot::cli {

class LineReader {
 public:
  virtual ~LineReader() = default;
  virtual std::optional<std::string> read(const std::string& prompt) = 0;  // without its end; nullopt: no more (Ctrl-D)
};

// A line editor on a terminal: history (kept in a file across sessions), Tab completes `words`, Ctrl-C drops the line,
// Alt-Enter begins another line of the same message, and pasted lines stay together. Elsewhere plain lines, no prompt.
// `name` names the history's file.
std::unique_ptr<LineReader> open_line_reader(const std::string& name, std::vector<std::string> words);

// One message: a line; lines that end in "\" and the one behind them; or the lines between two that hold """.
std::optional<std::string> read_message(LineReader& reader);

}  // namespace ingot::cli
