// Names are resolved once; each read packs and hashes on all workers, then lets the stored bytes go.
#include "ingot/weights/weights.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <openssl/evp.h>

#include "ingot/base/log.h"
#include "ingot/weights/arena.h"
#include "ingot/weights/content_hash.h"
#include "ingot/weights/convert.h"
#include "ingot/weights/name_map.h"
#include "ingot/weights/pack.h"
#include "ingot/weights/workers.h"

namespace ingot {

namespace {

constexpr size_t kHashChunk = size_t{1} << 20;
constexpr size_t kConvertTask = size_t{1} << 18;  // elements
constexpr size_t kPackTask = size_t{256} << 10;   // bytes of panels a task packs

[[noreturn]] void refuse(ErrorCode code, std::string message) { throw WeightError({code, std::move(message), {}}); }

struct Entry {
  std::string name;  // Hugging Face's
  const Tensor* tensor;
  RowOrder order;
  bool read = false;
  std::vector<ContentHash> hashes;  // of each kHashChunk of its data
};

std::string shape_text(const Tensor& tensor) { return fmt::format("[{}]", fmt::join(tensor.shape, ", ")); }

int64_t config_number(const Checkpoint& checkpoint, std::string_view key) {
  const boost::json::value* const value = checkpoint.config().if_contains(key);
  if (!value || !value->is_int64()) refuse(ErrorCode::kCorrupt, fmt::format("config: {} is missing", key));
  return value->get_int64();
}

RowOrder row_order(const Checkpoint& checkpoint, const std::string& name, const Tensor& tensor) {
  if (!rows_are_paired(checkpoint.gguf_architecture(), name)) return {};
  const int64_t head_dim = config_number(checkpoint, "head_dim");
  if (head_dim < 2 || head_dim % 2 != 0 || tensor.shape[0] % head_dim != 0)
    refuse(ErrorCode::kCorrupt,
           fmt::format("tensor '{}' has {} rows, not heads of {}", tensor.name, tensor.shape[0], head_dim));
  return {head_dim};
}

std::string hex(std::span<const unsigned char> bytes) {
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

void refuse_type(const Entry& entry) {
  if (!is_weight_type(entry.tensor->type))
    refuse(ErrorCode::kUnsupported, fmt::format("tensor '{}' is {}; only F32, F16, BF16, Q8_0, Q4_0 and Q4_1 are read",
                                                entry.name, element_type_name(entry.tensor->type)));
}

}  // namespace

// A tensor's bytes as they will be packed.
struct Kept {
  ElementType type;
  std::span<const std::byte> data;
  std::vector<std::byte> converted;  // what `data` points to where the stored type is another
};

struct WeightSource::State {
  const Checkpoint& checkpoint;
  WeightDtype dtype;
  OnProgress on_progress;
  std::deque<Entry> entries;  // in the checkpoint's order; later ones were made on demand
  std::unordered_map<std::string_view, Entry*> by_name;
  Arena arena;
  Workers workers{static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u))};
  LoadProgress progress;
  uint64_t bytes = 0;

  State(const Checkpoint& from, WeightDtype matrices, OnProgress report)
      : checkpoint(from), dtype(matrices), on_progress(std::move(report)) {
    const bool gguf = !from.gguf_architecture().empty();
    for (const Tensor& tensor : from.tensors()) {
      std::string name =
          gguf ? hugging_face_name(tensor.name).value_or(std::string(tensor.name)) : std::string(tensor.name);
      if (name.empty()) continue;  // the config carries it
      const RowOrder order = row_order(from, name, tensor);
      progress.bytes_total += tensor.data.size();
      entries.push_back({std::move(name), &tensor, order, false, {}});
    }
    for (Entry& entry : entries) by_name.emplace(entry.name, &entry);
  }

  // nullptr when absent.
  Entry* find(const std::string& name) {
    if (const auto found = by_name.find(name); found != by_name.end()) return found->second;
    const Tensor* const made = checkpoint.gguf_architecture().empty() ? checkpoint.find(name) : nullptr;
    if (!made) return nullptr;
    Entry& entry = entries.emplace_back(Entry{name, made, {}, false, {}});
    progress.bytes_total += made->data.size();
    return by_name.emplace(entry.name, &entry).first->second;
  }

  Entry& entry(const std::string& name) {
    if (Entry* const found = find(name)) return *found;
    refuse(ErrorCode::kNotFound, fmt::format("tensor '{}' is missing", name));
  }

  std::vector<Entry*> matrices(const std::vector<std::string>& names);
  Kept keep(const Entry& entry);
  PackedWeight pack(const std::vector<std::string>& names);
  std::vector<float> floats(const std::string& name);
  void run_with_hashes(std::span<Entry* const> read, int num_tasks, const std::function<void(int)>& task);
};

// The entries of matrices that may stand one below the other.
std::vector<Entry*> WeightSource::State::matrices(const std::vector<std::string>& names) {
  std::vector<Entry*> found;
  for (const std::string& name : names) {
    Entry& next = entry(name);
    refuse_type(next);
    if (next.tensor->shape.size() != 2 || next.tensor->data.empty())
      refuse(ErrorCode::kCorrupt, fmt::format("tensor '{}' is {}, not a matrix", name, shape_text(*next.tensor)));
    if (!found.empty() && next.tensor->shape[1] != found[0]->tensor->shape[1])
      refuse(ErrorCode::kCorrupt, fmt::format("tensors '{}' {} and '{}' {} take different inputs", found[0]->name,
                                              shape_text(*found[0]->tensor), name, shape_text(*next.tensor)));
    found.push_back(&next);
  }
  return found;
}

Kept WeightSource::State::keep(const Entry& entry) {
  const Tensor& tensor = *entry.tensor;
  Kept kept{kept_type(tensor.type, dtype), tensor.data, {}};
  if (kept.type == tensor.type) return kept;
  const size_t num_elements = tensor.data.size() / static_cast<size_t>(bytes_per_block(tensor.type));
  const auto to_bytes = static_cast<size_t>(bytes_per_block(kept.type));
  const size_t from_bytes = tensor.data.size() / num_elements;
  kept.converted.resize(num_elements * to_bytes);
  std::atomic<bool> fits = true;
  workers.run(static_cast<int>((num_elements + kConvertTask - 1) / kConvertTask), [&](int task) {
    const size_t first = static_cast<size_t>(task) * kConvertTask, count = std::min(kConvertTask, num_elements - first);
    if (!convert(tensor.data.subspan(first * from_bytes, count * from_bytes), tensor.type, kept.type,
                 kept.converted.data() + first * to_bytes))
      fits = false;
  });
  if (!fits)
    refuse(ErrorCode::kInvalidArgument, fmt::format("tensor '{}' holds numbers too large for {}: use --dtype bfloat16",
                                                    entry.name, element_type_name(kept.type)));
  kept.data = kept.converted;
  return kept;
}

// Runs the tasks, and beside them the hashing of what they read; then marks the entries as read.
void WeightSource::State::run_with_hashes(std::span<Entry* const> read, int num_tasks,
                                          const std::function<void(int)>& task) {
  std::vector<std::pair<Entry*, size_t>> chunks;
  for (Entry* const entry : read) {
    if (entry->read) continue;
    const size_t num_chunks = (entry->tensor->data.size() + kHashChunk - 1) / kHashChunk;
    entry->hashes.resize(num_chunks);
    for (size_t i = 0; i < num_chunks; ++i) chunks.emplace_back(entry, i);
  }
  workers.run(static_cast<int>(chunks.size()) + num_tasks, [&](int i) {
    const int t = i - static_cast<int>(chunks.size());
    if (t >= 0) return task(t);
    const auto [entry, chunk] = chunks[static_cast<size_t>(i)];
    const auto data = entry->tensor->data.subspan(chunk * kHashChunk);
    entry->hashes[chunk] = content_hash(data.first(std::min(kHashChunk, data.size())));
  });
  for (Entry* const entry : read) {
    if (!std::exchange(entry->read, true)) progress.bytes_read += entry->tensor->data.size();
    checkpoint.drop_pages(*entry->tensor);
  }
  if (on_progress) on_progress(progress);
}

PackedWeight WeightSource::State::pack(const std::vector<std::string>& names) {
  const std::vector<Entry*> parts = matrices(names);
  std::vector<ElementType> types;
  std::vector<StoredRow> rows;
  std::vector<Kept> alive;  // what the rows point to
  for (const Entry* const part : parts) {
    const Kept& kept = alive.emplace_back(keep(*part));
    types.push_back(kept.type);
    const int64_t num_rows = part->tensor->shape[0];
    const size_t row_bytes = kept.data.size() / static_cast<size_t>(num_rows);
    for (int64_t row = 0; row < num_rows; ++row)
      rows.push_back({kept.data.data() + static_cast<size_t>(part->order.stored(row)) * row_bytes, kept.type});
  }
  auto format = common_format(types);
  if (!format) {
    std::vector<std::string_view> stored;
    for (const ElementType type : types) stored.push_back(element_type_name(type));
    refuse(ErrorCode::kUnsupported, fmt::format("tensors {} are {}: no one format holds them exactly",
                                                fmt::join(names, ", "), fmt::join(stored, ", ")));
  }
  const int64_t in_features = parts[0]->tensor->shape[1];
  if (mx::default_device() == mx::Device::cpu) format = cpu_format(*format, in_features);
  const auto num_panels = static_cast<int64_t>((rows.size() + kPanelRows - 1) / kPanelRows);
  const int64_t blocks = is_quantised(*format) ? in_features / kGroupSize : in_features;
  const auto panel_bytes = static_cast<size_t>(blocks) * block_bytes(*format);
  if (panel_bytes > INT32_MAX / static_cast<size_t>(num_panels))
    refuse(ErrorCode::kUnsupported, fmt::format("tensor '{}' takes 2 GiB or more", parts[0]->name));

  const ArenaBlock block = arena.take(panel_bytes * static_cast<size_t>(num_panels));
  const auto panels_a_task = static_cast<int64_t>(std::max<size_t>(1, kPackTask / panel_bytes));
  const auto num_tasks = static_cast<int>((num_panels + panels_a_task - 1) / panels_a_task);
  run_with_hashes(parts, num_tasks, [&](int task) {
    const int64_t first = task * panels_a_task, last = std::min(num_panels, first + panels_a_task);
    for (int64_t panel = first; panel < last; ++panel) {
      const auto from = std::span(rows).subspan(static_cast<size_t>(panel) * kPanelRows);
      pack_panel(from.first(std::min<size_t>(kPanelRows, from.size())), *format, static_cast<int>(in_features),
                 block.bytes.data() + static_cast<size_t>(panel) * panel_bytes);
    }
  });
  bytes += block.bytes.size();
  return {*format, static_cast<int>(rows.size()), static_cast<int>(in_features), to_array(block)};
}

std::vector<float> WeightSource::State::floats(const std::string& name) {
  Entry& found = entry(name);
  const Tensor& tensor = *found.tensor;
  refuse_type(found);
  if (tensor.shape.size() != 1 || tensor.data.empty() || elements_per_block(tensor.type) != 1)
    refuse(ErrorCode::kUnsupported, fmt::format("tensor '{}' is {} {}, not a row of F32, F16 or BF16", name,
                                                element_type_name(tensor.type), shape_text(tensor)));
  std::vector<float> values(static_cast<size_t>(tensor.shape[0]));
  Entry* const read[] = {&found};
  run_with_hashes(read, 1, [&](int) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = stored_float(tensor, static_cast<size_t>(found.order.stored(static_cast<int64_t>(i))));
  });
  bytes += values.size() * sizeof(float);
  return values;
}

WeightSource::WeightSource(const Checkpoint& checkpoint, WeightDtype dtype, OnProgress on_progress)
    : state_(std::make_unique<State>(checkpoint, dtype, std::move(on_progress))) {}

WeightSource::~WeightSource() = default;

void WeightSource::finish(std::span<const std::string_view> ignored) {
  std::vector<std::string_view> skipped, forgotten;
  for (const Entry& entry : state_->entries) {
    if (entry.read) continue;
    const bool may = std::ranges::any_of(ignored, [&](std::string_view pattern) {
      return ::fnmatch(std::string(pattern).c_str(), entry.name.c_str(), 0) == 0;
    });
    (may ? skipped : forgotten).push_back(entry.name);
  }
  if (!forgotten.empty())
    refuse(ErrorCode::kUnsupported,
           fmt::format("the model does not read tensor '{}'{}", forgotten[0],
                       forgotten.size() > 1 ? fmt::format(" nor {} others", forgotten.size() - 1) : ""));
  if (!skipped.empty()) log::info("tensors left unread: {}", fmt::join(skipped, ", "));
}

std::string WeightSource::digest() const {
  std::string text = fmt::format("dtype {}\n", static_cast<int>(state_->dtype));
  for (const Entry& entry : state_->entries) {
    if (!entry.read) continue;
    text += fmt::format("{} {} {}", entry.name, element_type_name(entry.tensor->type), shape_text(*entry.tensor));
    for (const ContentHash& hash : entry.hashes) text += fmt::format(" {:016x}{:016x}", hash[0], hash[1]);
    text += '\n';
  }
  std::array<unsigned char, 32> sha256{};
  if (EVP_Digest(text.data(), text.size(), sha256.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  return hex(sha256);
}

uint64_t WeightSource::bytes() const { return state_->bytes; }

Weights Weights::scope(std::string_view name) const { return {source_, fmt::format("{}{}.", prefix_, name)}; }

bool Weights::has(std::string_view name) const { return source_->state_->find(prefix_ + std::string(name)) != nullptr; }

PackedWeight Weights::linear(const std::vector<std::string>& names) const {
  std::vector<std::string> full;
  for (const std::string& name : names) full.push_back(prefix_ + name);
  return source_->state_->pack(full);
}

array Weights::vector(std::string_view name) const { return vectors({std::string(name)}); }

array Weights::vectors(const std::vector<std::string>& names) const {
  std::vector<float> values;
  for (const std::string& name : names) {
    const std::vector<float> part = source_->state_->floats(prefix_ + name);
    values.insert(values.end(), part.begin(), part.end());
  }
  return from_host(std::span<const float>(values));
}

}  // namespace ingot
