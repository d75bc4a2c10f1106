// The interactive forms of `chat` and `complete`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingot/cli/conversation.h"
#include "ingot/cli/line_reader.h"
#include "ingot/cli/replies.h"

namespace ingot::cli {

// What a line asks of the loop.
struct Turn {
  enum class Next { kReply, kGoOn, kEnd };
  Next next = Next::kGoOn;
  std::string notice;  // a line for the user, "" for none
};

// A line of a chat: a /command, or a message. A slash that begins no word of letters ("//", "/2"), or that stands
// behind a space, is a message's.
Turn take_line(std::string_view line, Conversation& conversation, Replies& replies);

// Until Ctrl-D, /exit or the end of standard input. The exit code: 1 where the last request failed and there is nobody
// to try again.
int chat_loop(Replies& replies, Conversation& conversation);
int complete_loop(Replies& replies, Settings& settings);

}  // namespace ingot::cli
