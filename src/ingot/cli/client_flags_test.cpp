// Flags and where their values end.
#include "ingot/cli/client_flags.h"

#include <cstdlib>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/cli/command_table.h"

namespace ingot::cli {
namespace {

using ::testing::HasSubstr;

auto parse(std::vector<std::string> arguments, ClientCommand command = ClientCommand::kChat) {
  return parse_client_flags(command, arguments);
}

ClientFlags flags(std::vector<std::string> arguments) {
  return std::get<ClientFlags>(parse(std::move(arguments)).value());
}

TEST(ClientFlags, Defaults) {
  unsetenv("OPENAI_API_KEY");
  const ClientFlags f = flags({});
  EXPECT_EQ(f.url, "http://localhost:8000/v1");
  EXPECT_EQ(f.model_name + f.api_key + f.system_prompt, "");
  EXPECT_FALSE(f.local || f.stats || f.quick);
  EXPECT_TRUE(request_fields(f.sampling).empty());
}

TEST(ClientFlags, EverySamplingFlagIsAField) {
  const ClientFlags f = flags({"--temperature",
                               "0.5",
                               "--top_p=0.9",
                               "--top-k",
                               "4",
                               "--min-p",
                               "0.1",
                               "--seed",
                               "7",
                               "--max-tokens",
                               "9",
                               "--repetition-penalty",
                               "1.5",
                               "--frequency-penalty",
                               "-0.5",
                               "--presence-penalty",
                               "0.25",
                               "--stop",
                               "a",
                               "b"});
  EXPECT_EQ(boost::json::serialize(request_fields(f.sampling)),
            R"({"temperature":5E-1,"top_p":9E-1,"top_k":4,"min_p":1E-1,"repetition_penalty":1.5E0,)"
            R"("frequency_penalty":-5E-1,"presence_penalty":2.5E-1,"seed":7,"max_tokens":9,"stop":["a","b"]})");
}

TEST(ClientFlags, AModelMeansThisProcess) {
  EXPECT_TRUE(flags({"--local"}).local);
  const ClientFlags f = flags({"model.gguf", "--max-model-len", "1k", "-q", "Hi"});
  EXPECT_TRUE(f.local);
  EXPECT_EQ(f.engine.source.model, "model.gguf");
  EXPECT_EQ(f.engine.source.max_model_len, 1000);
  EXPECT_EQ(f.quick, "Hi");
  EXPECT_TRUE(flags({"--model=model.gguf"}).local);
  setenv("INGOT_MODEL", "served.gguf", 1);
  EXPECT_FALSE(flags({}).local) << "that is the server's";
  EXPECT_EQ(flags({"--local"}).engine.source.model, "served.gguf");
  unsetenv("INGOT_MODEL");
  EXPECT_THAT(parse({"model.gguf", "--url", "http://x"}).error().message, HasSubstr("exclude"));
}

TEST(ClientFlags, TheKeyComesFromFlagOrEnvironment) {
  setenv("OPENAI_API_KEY", "from-environment", 1);
  EXPECT_EQ(flags({}).api_key, "from-environment");
  EXPECT_EQ(flags({"--api-key", "k"}).api_key, "k");
  unsetenv("OPENAI_API_KEY");
}

TEST(ClientFlags, WrongOnesAndHelp) {
  EXPECT_THAT(parse({"--temprature", "1"}).error().message, HasSubstr("did you mean --temperature?"));
  EXPECT_THAT(parse({"--system-prompt", "x"}, ClientCommand::kComplete).error().message, HasSubstr("--system-prompt"));
  const auto help = parse({"--help"}).value();
  const std::string& text = std::get<HelpText>(help).text;
  EXPECT_THAT(text, HasSubstr("--system-prompt"));
  EXPECT_THAT(text, HasSubstr("ingot chat --local"));
}

CommandTable table(int& runs) {
  const auto run = [&runs](std::span<const std::string> arguments) {
    ++runs;
    return static_cast<int>(arguments.size()) + 10;
  };
  return {"prog",
          "Does things.",
          {{"serve", "Serve", "serve it", run}, {"secret", "", "", run}},
          "Examples:\n  prog serve"};
}

TEST(CommandTable, RunsTheNamedOne) {
  int runs = 0;
  const CommandTable commands = table(runs);
  EXPECT_EQ(run_command(commands, std::vector<std::string>{"serve", "a", "b"}), 12);
  EXPECT_EQ(run_command(commands, std::vector<std::string>{"help", "serve"}), 11);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(run_command(commands, {}), 2);
  EXPECT_EQ(run_command(commands, std::vector<std::string>{"sreve"}), 2);
  EXPECT_EQ(run_command(commands, std::vector<std::string>{"--help"}), 0);
  EXPECT_EQ(runs, 2);
}

TEST(CommandTable, HelpShowsGroupsAndHidesTheNameless) {
  int runs = 0;
  const std::string text = help_text(table(runs));
  EXPECT_THAT(text, HasSubstr("Serve:\n  serve         serve it\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace ingot::cli
