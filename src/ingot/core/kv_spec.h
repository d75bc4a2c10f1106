// What a model's layers keep between steps, and how layers share block tables.
#pragma once

#include <cstdint>
#include <vector>

namespace ingot {

enum class KvKind {
  kFull,    // keys and values of every token
  kWindow,  // only the last `window` tokens are ever read; older pages may be freed
};

// The state of one layer. Two layers with equal specs share pages' shape and block table.
struct KvSpec {
  KvKind kind = KvKind::kFull;
  int num_kv_heads = 0;
  int head_dim = 0;
  int window = 0;  // tokens a query sees, itself included; 0 for kFull
  bool operator==(const KvSpec&) const = default;
};

// Layers with the same spec: one array of pages and one block table a request.
struct KvGroup {
  KvSpec spec;
  std::vector<int> layers;  // model layer numbers, ascending
};

// Groups of equal specs, in order of their first layer.
inline std::vector<KvGroup> group_layers(const std::vector<KvSpec>& layers) {
  std::vector<KvGroup> groups;
  for (int layer = 0; layer < static_cast<int>(layers.size()); ++layer) {
    auto group = groups.begin();
    while (group != groups.end() && group->spec != layers[layer]) ++group;
    if (group == groups.end()) group = groups.insert(groups.end(), KvGroup{layers[layer], {}});
    group->layers.push_back(layer);
  }
  return groups;
}

}  // namespace ingot
