// POST /tokenize and POST /detokenize
#include "ingot/serve/tokenize.h"

#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer tokenize(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(serve::tokenize, context, request, wake);
}

Answer detokenize(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(serve::detokenize, context, request, wake);
}

}  // namespace ingot::http
