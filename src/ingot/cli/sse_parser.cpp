// Line by line.
#include "ingot/cli/sse_parser.h"

namespace ingot::cli {

void SseParser::feed(std::string_view bytes, const std::function<void(std::string_view data)>& on_data) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_data);
    line_.clear();
  }
}

void SseParser::end_line(const std::function<void(std::string_view data)>& on_data) {
  if (line_.empty()) {
    if (data_.empty()) return;
    data_.pop_back();
    on_data(data_);
    data_.clear();
    return;
  }
  std::string_view line = line_;
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (!line.starts_with("data")) return;
  line.remove_prefix(4);
  if (!line.empty() && line.front() != ':') return;
  if (!line.empty()) line.remove_prefix(1);
  if (line.starts_with(' ')) line.remove_prefix(1);
  data_.append(line).push_back('\n');
}

}  // namespace ingot::cli
