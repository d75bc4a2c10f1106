// mmap with the errors spelled out.
#include "ingot/checkpoint/mapped_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ingot {

namespace {

std::unexpected<Error> refused(const std::filesystem::path& path, int error) {
  return fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              fmt::format("{}: {}", path.string(), std::strerror(error)));
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return refused(path, errno);
  struct stat info{};
  if (::fstat(file.fd, &info) != 0) return refused(path, errno);
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: is not a regular file", path.string()));
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile({});  // mmap refuses an empty range
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED) return refused(path, errno);
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::drop_pages(std::span<const std::byte> part) {
  if (part.empty()) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(part.data()) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data() + part.size());
  ::madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
}

}  // namespace ingot
