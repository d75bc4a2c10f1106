// Server-sent events (the event stream format of the HTML standard), as far as an API of JSON needs them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ingot::cli {

// Bytes may be cut anywhere. Lines end in LF, CR or CRLF; comments and fields other than `data` are passed over.
class SseParser {
 public:
  // Calls `on_data` with the data of each event that these bytes complete.
  void feed(std::string_view bytes, const std::function<void(std::string_view data)>& on_data);

 private:
  void end_line(const std::function<void(std::string_view data)>& on_data);

  std::string line_;  // not complete yet
  std::string data_;  // of the event so far, each line followed by LF
  bool after_cr_ = false;
};

}  // namespace ingot::cli
