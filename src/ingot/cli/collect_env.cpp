// Reads what the system tells; what it does not tell is left out.
#include "ingot/cli/collect_env.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __linux__
#include <gnu/libc-version.h>
#include <sched.h>
#endif

#include "ingot/base/system_memory.h"
#include "ingot/config/command_line.h"

extern char** environ;

namespace ingot::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefixes[] = {
    "INGOT_", "VLLM_", "OMP_", "MLX_", "CUDA_", "NVIDIA_", "HF_", "XDG_STATE_HOME=", "LD_PRELOAD=", "LD_LIBRARY_PATH="};
constexpr const char* kSecrets[] = {"KEY", "TOKEN", "SECRET", "PASSWORD"};

void row(const std::string& name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<22}: {}\n", name, value);
}

// What follows `prefix` and a separator in the first line that begins with it; "" where there is none.
std::string line_of(const fs::path& path, const std::string& prefix) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(prefix)) continue;
    const size_t begin = line.find_first_not_of(" \t:=\"", prefix.size());
    if (begin == std::string::npos) return "";
    const size_t end = line.find_last_not_of(" \t\"");
    return line.substr(begin, end + 1 - begin);
  }
  return "";
}

std::string gib(int64_t bytes) {
  return bytes > 0 ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)) : "";
}

std::string platform() {
  utsname name{};
  if (uname(&name) != 0) return "";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

int usable_cpus() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

void print_system() {
  row("Platform", platform());
  row("System", line_of("/etc/os-release", "PRETTY_NAME"));
#ifdef __linux__
  row("glibc", gnu_get_libc_version());
#endif
  row("CPU", line_of("/proc/cpuinfo", "model name"));
  row("CPUs", fmt::format("{} usable of {}", usable_cpus(), sysconf(_SC_NPROCESSORS_CONF)));
  row("Memory", gib(int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE)));
  row("Available memory", gib(available_memory_bytes()));
}

void print_gpus() {
  row("NVIDIA driver", line_of("/proc/driver/nvidia/version", "NVRM version"));
  std::error_code ec;
  int number = 0;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", ec))
    row(fmt::format("GPU {}", number++), line_of(gpu.path() / "information", "Model"));
#ifdef __APPLE__
  row("GPU", "Apple (Metal)");
#else
  if (number == 0) row("GPU", "none visible");
#endif
}

}  // namespace

std::vector<std::string> relevant_environment(std::span<const std::string> environment) {
  std::vector<std::string> shown;
  for (const std::string& entry : environment) {
    const bool relevant = std::ranges::any_of(kPrefixes, [&](const char* prefix) { return entry.starts_with(prefix); });
    if (!relevant) continue;
    const std::string name = entry.substr(0, entry.find('='));
    const bool secret = std::ranges::any_of(kSecrets, [&](const char* word) { return name.contains(word); });
    shown.push_back(secret ? name + "=(set, not shown)" : entry);
  }
  std::ranges::sort(shown);
  return shown;
}

int run_collect_env(std::span<const std::string> arguments, const BuildFacts& facts) {
  CLI::App app("Prints what a report of a fault should say about the machine and the build. Secrets are not shown.",
               "ingot collect-env");
  const auto help = parse_command_line(app, arguments);
  if (!help || *help) {
    fmt::print(help ? stdout : stderr, "{}\n", help ? (*help)->text : "ingot collect-env: " + help.error().message);
    return help ? 0 : 2;
  }
  fmt::print("## Ingot\n");
  for (const auto& [name, value] : facts) row(name, value);
  row("Boost", BOOST_LIB_VERSION);
  row("OpenSSL", OpenSSL_version(OPENSSL_VERSION));
  fmt::print("\n## Machine\n");
  print_system();
  print_gpus();
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
  fmt::print("\n## Environment\n");
  for (const std::string& entry : relevant_environment(environment)) fmt::print("{}\n", entry);
  return 0;
}

}  // namespace ingot::cli
