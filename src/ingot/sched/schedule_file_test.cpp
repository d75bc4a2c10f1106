// Runs the schedules of tests/schedules: a line is a command, or what must follow from it. Their README has the words.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ingot/sched/scheduler.h"

namespace ingot {
namespace {

using Words = std::map<std::string, std::string>;  // key=value; a bare word is a key

Words words_of(std::istream& line) {
  Words words;
  for (std::string word; line >> word;) {
    const size_t equals = word.find('=');
    words[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return words;
}

class ScheduleFile {
 public:
  explicit ScheduleFile(const std::filesystem::path& path) : file_(path) {}

  void run() {
    ASSERT_TRUE(file_.is_open());
    int number = 0;
    for (std::string text; std::getline(file_, text);) {
      ++number;
      text.resize(std::min(text.size(), text.find('#')));
      std::istringstream line(text);
      std::string command;
      if (!(line >> command)) continue;
      SCOPED_TRACE(testing::Message() << "line " << number << ": " << text);
      apply(command, line);
      if (scheduler_) {
        const Status sound = scheduler_->verify();
        ASSERT_TRUE(sound) << sound.error().message;
      }
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_TRUE(events_.empty()) << "the file ends before these were heard: " << heard();
    EXPECT_FALSE(scheduler_->has_unfinished()) << "the file ends before its requests";
  }

 private:
  void apply(const std::string& command, std::istream& line) {
    if (command == "config") return configure(words_of(line));
    if (command == "add") return add(line);
    if (command == "plan") return expect(planned(), line);
    if (command == "read") return read(line);
    if (command == "heard") return expect(heard(), line);
    if (command == "stats") return stats(words_of(line));
    std::string name;
    line >> name;
    if (command == "reset") {
      EXPECT_EQ(scheduler_->reset_prefix_cache(), name == "done");
    } else if (command == "abort") {
      scheduler_->abort(ids_.at(name));
      std::ranges::move(scheduler_->take_events(), std::back_inserter(events_));
    } else {
      FAIL() << "unknown command";
    }
  }

  static void expect(const std::string& actual, std::istream& line) {
    std::string expected;
    std::getline(line >> std::ws, expected);
    expected.resize(expected.find_last_not_of(' ') + 1);
    EXPECT_EQ(actual, expected);
  }

  void configure(const Words& words) {
    SchedulerConfig config{.max_num_batched_tokens = 16, .max_num_seqs = 4, .max_model_len = 64};
    CacheConfig cache{.block_size = 4, .num_blocks = 33, .enable_prefix_caching = true, .hash_root = ""};
    std::vector<KvGroup> groups{{{.kind = KvKind::kFull, .num_kv_heads = 1, .head_dim = 8, .window = 0}, {0}}};
    for (const auto& [key, value] : words) {
      const auto number = [&value] { return std::stoi(value); };
      const std::map<std::string, std::function<void()>> settings{
          {"max_num_batched_tokens", [&] { config.max_num_batched_tokens = number(); }},
          {"max_num_seqs", [&] { config.max_num_seqs = number(); }},
          {"max_model_len", [&] { config.max_model_len = number(); }},
          {"long_prefill_token_threshold", [&] { config.long_prefill_token_threshold = number(); }},
          {"max_num_queued_reqs", [&] { config.max_num_queued_reqs = number(); }},
          {"max_num_queued_tokens", [&] { config.max_num_queued_tokens = number(); }},
          {"no_chunked_prefill", [&] { config.enable_chunked_prefill = false; }},
          {"no_reserve", [&] { config.reserve_full_prompt = false; }},
          {"watermark", [&] { config.watermark = std::stod(value); }},
          {"priority", [&] { config.policy = SchedulingPolicy::kPriority; }},
          {"block_size", [&] { cache.block_size = number(); }},
          {"num_blocks", [&] { cache.num_blocks = number(); }},
          {"no_prefix_caching", [&] { cache.enable_prefix_caching = false; }},
          {"window", [&] { groups.push_back({{KvKind::kWindow, 1, 8, number()}, {1}}); }},
      };
      ASSERT_TRUE(settings.contains(key)) << key;
      settings.at(key)();
    }
    scheduler_ = std::make_unique<Scheduler>(config, cache, groups);
  }

  void add(std::istream& line) {
    std::string name;
    line >> name;
    Words words = words_of(line);
    Request request;
    request.id = RequestId{ids_.size() + 1};
    if (const std::string like = words["like"]; !like.empty()) {
      const size_t colon = like.find(':');
      request.prompt = tokens_.at(like.substr(0, colon));
      request.prompt.resize(std::stoi(like.substr(colon + 1)));
    }
    for (int i = static_cast<int>(request.prompt.size()); i < std::stoi(words.at("prompt")); ++i)
      request.prompt.push_back(static_cast<int>(ids_.size() + 1) * 1000 + i);
    const auto number = [&](const char* key, int otherwise) {
      return words.contains(key) ? std::stoi(words[key]) : otherwise;
    };
    request.sampling.max_tokens = number("max_tokens", 16);
    if (words.contains("eos")) request.sampling.eos_token_ids = {number("eos", 0)};
    if (words.contains("stop")) request.sampling.stop_token_ids = {number("stop", 0)};
    request.priority = number("priority", 0);
    request.cache_salt = words["salt"];
    const auto added = scheduler_->add(request);
    const ErrorCode code = words.contains("queue_full") ? ErrorCode::kResourceExhausted : ErrorCode::kInvalidArgument;
    if (words.contains("queue_full") || words.contains("refused")) {
      ASSERT_FALSE(added);
      EXPECT_EQ(added.error().code, code) << added.error().message;
      return;
    }
    ASSERT_TRUE(added) << added.error().message;
    ids_[name] = request.id;
    names_[request.id] = name;
    tokens_[name] = std::move(request.prompt);
  }

  std::string planned() {
    const std::optional<StepPlan> plan = scheduler_->schedule();
    if (!plan) return "none";
    std::vector<std::string> rows;
    for (const PlannedRow& row : plan->rows) {
      std::string text = fmt::format("{} {}+{}", names_.at(row.request), row.start, row.num_tokens);
      const auto starts = std::ranges::find(plan->starts, row.request, &SlotStart::request);
      if (starts != plan->starts.end()) text += fmt::format(" slot {}", index(starts->slot));
      if (static_cast<int>(row.token_ids.size()) < row.num_tokens) text += " unread";
      if (row.samples) text += fmt::format(" samples {}", row.output_index);
      std::vector<std::string> groups;
      for (const auto& blocks : row.new_blocks) {
        std::vector<size_t> ids;
        for (const BlockId id : blocks) ids.push_back(index(id));
        groups.push_back(fmt::format("{}", fmt::join(ids, " ")));
      }
      rows.push_back(text + fmt::format(" [{}]", fmt::join(groups, " / ")));
    }
    in_flight_.push_back(*plan);
    return fmt::format("{}", fmt::join(rows, " | "));
  }

  void read(std::istream& line) {
    ASSERT_FALSE(in_flight_.empty());
    const StepPlan plan = in_flight_.front();
    in_flight_.erase(in_flight_.begin());
    StepResult result{plan.step, {}, {}, {}};
    Words words = words_of(line);
    if (words.contains("error")) result.error = "told to fail";
    for (const PlannedRow& row : plan.rows) {
      const std::string& name = names_.at(row.request);
      if (!row.samples || !result.error.empty()) continue;
      ASSERT_TRUE(words.contains(name)) << "no token for " << name;
      const int32_t token = std::stoi(words[name]);
      result.tokens.push_back({row.request, token, {}});
      tokens_[name].push_back(token);
    }
    std::ranges::move(scheduler_->digest(std::move(result)), std::back_inserter(events_));
  }

  std::string heard() {
    std::vector<std::string> texts;
    for (const TokenEvent& event : std::exchange(events_, {})) {
      std::string text = names_.at(event.request);
      for (const SampledToken& token : event.tokens) text += fmt::format(" {}", token.token);
      if (event.finish) text += std::array{" stop", " length", " abort", " error"}[static_cast<size_t>(*event.finish)];
      if (event.stop_token_id) text += fmt::format(" at {}", *event.stop_token_id);
      if (event.finish && event.num_cached_tokens > 0) text += fmt::format(" cached {}", event.num_cached_tokens);
      texts.push_back(text);
    }
    return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, " | "));
  }

  void stats(const Words& words) {
    const EngineStats stats = scheduler_->stats();
    const std::map<std::string, double> values{
        {"running", stats.num_running},
        {"waiting", stats.num_waiting},
        {"waiting_tokens", scheduler_->waiting_load().num_tokens},
        {"usage", stats.kv_cache_usage},
        {"steps", stats.num_steps},
        {"preemptions", stats.num_preemptions},
        {"prompt_tokens", stats.prompt_tokens},
        {"cached", stats.prompt_tokens_cached},
        {"generated", stats.generation_tokens},
        {"queries", stats.prefix_cache_queries},
        {"hits", stats.prefix_cache_hits},
    };
    for (const auto& [key, value] : words) EXPECT_EQ(values.at(key), std::stod(value)) << key;
  }

  std::ifstream file_;
  std::unique_ptr<Scheduler> scheduler_;
  std::map<std::string, RequestId> ids_;
  std::map<RequestId, std::string> names_;
  std::map<std::string, std::vector<int32_t>> tokens_;  // prompt and output
  std::vector<StepPlan> in_flight_;
  std::vector<TokenEvent> events_;
};

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(INGOT_SOURCE_DIR "/tests/schedules"))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
  std::ranges::sort(names);
  return names;
}

class Schedules : public testing::TestWithParam<std::string> {};

TEST_P(Schedules, GoAsWritten) {
  ScheduleFile(std::filesystem::path(INGOT_SOURCE_DIR "/tests/schedules") / (GetParam() + ".txt")).run();
}

INSTANTIATE_TEST_SUITE_P(Files, Schedules, testing::ValuesIn(schedule_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ingot
