// What a model's layers keep between steps, and how layers share block tables.
#pragma once

#include <cstddef>
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

// Where a layer's state is: its group, and its place among the group's layers.
struct KvPlace {
  int group = 0, layer = 0;
};

// By model layer.
inline std::vector<KvPlace> place_layers(const std::vector<KvGroup>& groups) {
  std::size_t num_layers = 0;
  for (const KvGroup& group : groups) num_layers += group.layers.size();
  std::vector<KvPlace> places(num_layers);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t i = 0; i < groups[group].layers.size(); ++i)
      places[groups[group].layers[i]] = {static_cast<int>(group), static_cast<int>(i)};
  }
  return places;
}

}  // namespace ingot
