// One thread that owns some of the connections: nothing of a connection is ever touched by another thread.
// Held by its sessions' calls as well, since a late wake may come when the server is gone already.
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace ingot::http {

class Session;

class IoThread {
 public:
  IoThread();
  ~IoThread();  // join() must have been called

  boost::asio::io_context& context() { return context_; }
  void join();  // returns once every connection is gone and nothing is left to do

  // Any thread: `session` is to look for tokens. Wakes of one engine step share one post and one pass.
  void wake(std::weak_ptr<Session> session);

  // This thread only.
  std::unordered_set<Session*>& sessions() { return sessions_; }

 private:
  void deliver_wakes();

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unordered_set<Session*> sessions_;
  std::mutex mutex_;  // guards woken_
  std::vector<std::weak_ptr<Session>> woken_;
  std::vector<std::weak_ptr<Session>> delivering_;
  std::thread thread_;
};

}  // namespace ingot::http
