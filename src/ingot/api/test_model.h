// The model that the room's tests parse against; tests/api/README.md states it.
#pragma once

#include "ingot/api/model_defaults.h"

namespace ingot::api {

inline ModelDefaults test_model() {
  ModelDefaults model;
  model.model_names = {"m", "alias"};
  model.max_model_len = 512;
  model.vocab_size = 1000;
  model.eos_token_ids = {2};
  model.extra_eos_token_ids = {7};
  return model;
}

}  // namespace ingot::api
