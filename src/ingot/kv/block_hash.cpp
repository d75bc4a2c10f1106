// SHA-256 over blocks, through OpenSSL.
#include "ingot/kv/block_hash.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>

namespace ingot {
namespace {

// One context a thread: fetching the algorithm anew costs more than hashing a block.
class Sha256 {
 public:
  BlockHash operator()(std::initializer_list<std::span<const std::byte>> parts) {
    bool done = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr);
    for (const auto part : parts) done = done && EVP_DigestUpdate(context_.get(), part.data(), part.size());
    BlockHash hash;
    static_assert(sizeof(hash.words) == 32);
    done = done && EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(hash.words.data()), nullptr);
    if (!done) throw std::runtime_error("SHA-256 failed in OpenSSL");
    return hash;
  }

 private:
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256& sha256() {
  thread_local Sha256 instance;
  return instance;
}

}  // namespace

BlockHasher::BlockHasher(std::string_view root, int32_t block_size) : block_size_(block_size) {
  root_ = sha256()({std::as_bytes(std::span(&block_size, 1)), std::as_bytes(std::span(root))});
}

void BlockHasher::extend(std::vector<BlockHash>& hashes, std::span<const int32_t> tokens,
                         std::string_view cache_salt) const {
  const size_t num_blocks = tokens.size() / block_size_;
  if (hashes.size() >= num_blocks) return;
  hashes.reserve(num_blocks);
  Sha256& hash = sha256();
  while (hashes.size() < num_blocks) {
    const bool first = hashes.empty();
    const BlockHash parent = first ? root_ : hashes.back();
    const auto block = tokens.subspan(hashes.size() * block_size_, block_size_);
    hashes.push_back(hash({std::as_bytes(std::span(parent.words)), std::as_bytes(block),
                           std::as_bytes(std::span(first ? cache_salt : std::string_view()))}));
  }
}

}  // namespace ingot
