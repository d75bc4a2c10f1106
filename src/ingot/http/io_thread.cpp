// The mailbox between the engine thread and the connections.
#include "ingot/http/io_thread.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "ingot/http/session.h"

namespace ingot::http {

IoThread::IoThread() : work_(context_.get_executor()), thread_([this] { context_.run(); }) {}

IoThread::~IoThread() = default;

void IoThread::join() {
  work_.reset();
  thread_.join();
}

void IoThread::wake(std::weak_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  woken_.push_back(std::move(session));
  if (woken_.size() == 1) boost::asio::post(context_, [this] { deliver_wakes(); });
}

void IoThread::deliver_wakes() {
  {
    std::lock_guard lock(mutex_);
    delivering_.swap(woken_);
  }
  for (const auto& weak : delivering_) {
    if (const auto session = weak.lock()) session->on_wake();
  }
  delivering_.clear();
}

}  // namespace ingot::http
