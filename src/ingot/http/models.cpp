// GET /v1/models
#include "ingot/api/models.h"

#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer models(const Context& context, HttpRequest&, const serve::Call::Wake&) {
  const auto open = context.service.model();
  if (!open) return error_response(api::unavailable("The model is still being loaded."));
  return HttpResponse{.body = api::models_body(open->model.defaults, open->model.root, unix_seconds())};
}

}  // namespace ingot::http
