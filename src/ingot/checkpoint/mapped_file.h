// A file's bytes through mmap, read-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "ingot/base/result.h"

namespace ingot {

// The mapping lives as long as the object. A file that another process cuts short meanwhile ends the process (SIGBUS).
class MappedFile {
 public:
  // Errors: kNotFound, kIo (the system's reason), kInvalidArgument (not a regular file).
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives the pages of a part of a mapping back to the system. They stay readable: a later read loads them again.
  static void drop_pages(std::span<const std::byte> part);

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace ingot
