// The server's own life: ports, a model that comes later, body budget, comments in idle streams, stopping.
#include "ingot/http/server.h"

#include "tests/support/tiny_model.h"
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ingot/engine/mock_engine.h"

namespace ingot::http {
namespace {

using std::chrono::milliseconds;

// A blocking socket of 5 s patience.
class Client {
 public:
  explicit Client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { ::close(fd_); }

  bool connected() const { return connected_; }
  void send(const std::string& bytes) { ASSERT_EQ(::send(fd_, bytes.data(), bytes.size(), 0), ssize_t(bytes.size())); }
  void get(const std::string& path) { send("GET " + path + " HTTP/1.1\r\nhost: t\r\n\r\n"); }
  void post(const std::string& body, const std::string& more = "") {
    send("POST /v1/completions HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\n" + more +
         "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  // Reads until `mark` has come; what came so far.
  std::string read_until(std::string_view mark) {
    std::string bytes;
    char part[4096];
    while (bytes.find(mark) == std::string::npos) {
      const ssize_t size = ::recv(fd_, part, sizeof(part), 0);
      if (size <= 0) return bytes + (size == 0 ? "<end>" : "<nothing>");
      bytes.append(part, static_cast<size_t>(size));
    }
    return bytes;
  }

 private:
  int fd_;
  bool connected_ = false;
};

class ServerTest : public ::testing::Test {
 protected:
  void start(ServerConfig config = {}) {
    config.port = 0;
    config.access_log = false;
    server_ = std::make_unique<Server>(config, service_);
    const Status started = server_->start();
    ASSERT_TRUE(started) << started.error().message;
  }
  void open(MockOptions options = {}) {
    engine_ = std::make_shared<MockEngine>(std::move(options));
    service_->open(testing::tiny_model(INGOT_SOURCE_DIR), engine_, {});
  }
  ~ServerTest() override {
    server_.reset();
    if (engine_) engine_->stop(milliseconds(0));
  }

  std::shared_ptr<serve::Service> service_ =
      std::make_shared<serve::Service>(serve::ServiceOptions{.num_workers = 1, .log_interval = milliseconds(0)});
  std::shared_ptr<MockEngine> engine_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersBeforeTheModelIsThere) {
  start();
  Client client(server_->port());
  client.get("/health");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 503 "));
  client.post("{}");
  EXPECT_TRUE(client.read_until("}}").starts_with("HTTP/1.1 503 "));
  client.get("/version");
  EXPECT_TRUE(client.read_until("}").starts_with("HTTP/1.1 200 "));
  open();
  client.get("/health");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  start();
  ServerConfig taken;
  taken.port = server_->port();
  const Status same_port = Server(taken, service_).start();
  ASSERT_FALSE(same_port);
  EXPECT_EQ(same_port.error().code, ErrorCode::kIo);
  EXPECT_NE(same_port.error().message.find(std::to_string(taken.port)), std::string::npos);
  ServerConfig nowhere;
  nowhere.host = "no such host";
  EXPECT_EQ(Server(nowhere, service_).start().error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ServerTest, AnEmptyHostIsEveryInterface) {
  ServerConfig config;
  config.host = "";
  start(config);
  Client client(server_->port());
  client.get("/version");
  EXPECT_TRUE(client.read_until("}").starts_with("HTTP/1.1 200 "));
}

TEST_F(ServerTest, BodiesBeyondTheBudgetAreRefusedAndTheBudgetComesBack) {
  ServerConfig config;
  config.max_waiting_body_bytes = 1000;
  start(config);
  open();
  for (int round = 0; round < 3; ++round) {
    Client big(server_->port());
    big.post(std::string(2000, ' '));
    EXPECT_TRUE(big.read_until("}}").starts_with("HTTP/1.1 503 "));
    Client small(server_->port());
    small.post(R"({"prompt":"a"})" + std::string(900, ' '));
    EXPECT_TRUE(small.read_until("}").starts_with("HTTP/1.1 200 "));
  }
}

TEST_F(ServerTest, AnIdleStreamGetsComments) {
  ServerConfig config;
  config.sse_keep_alive = milliseconds(50);
  start(config);
  open({.step_time = milliseconds(300)});
  Client client(server_->port());
  client.post(R"({"prompt":"ab cd","stream":true,"max_tokens":3})");
  const std::string got = client.read_until("[DONE]");
  EXPECT_NE(got.find("\r\n: keep-alive\n\n\r\n"), std::string::npos);
  EXPECT_NE(got.find("[DONE]"), std::string::npos);
}

TEST_F(ServerTest, TheRequestIdComesBackWhereItIsTurnedOn) {
  ServerConfig config;
  config.echo_request_id = true;
  start(config);
  open();
  Client client(server_->port());
  client.post(R"({"prompt":"a"})", "x-request-id: abc\r\n");
  EXPECT_NE(client.read_until("\r\n\r\n").find("x-request-id: abc\r\n"), std::string::npos);
}

TEST_F(ServerTest, StopCutsWhatRunsAndClosesThePort) {
  start();
  open({.step_time = milliseconds(1)});
  Client client(server_->port());
  client.post(R"({"prompt":"a","ignore_eos":true,"max_tokens":2000,"stream":true})");
  client.read_until("data: ");
  const uint16_t port = server_->port();
  server_->stop(milliseconds(0));
  EXPECT_EQ(client.read_until("[DONE]").find("[DONE]"), std::string::npos);
  EXPECT_FALSE(Client(port).connected());
  server_->stop(milliseconds(0));
}

TEST_F(ServerTest, StopLetsRepliesFinishWithinTheDrain) {
  start();
  open({.step_time = milliseconds(2)});
  Client client(server_->port());
  client.post(R"({"prompt":"a","ignore_eos":true,"max_tokens":50,"stream":true})");
  client.read_until("data: ");
  server_->stop(std::chrono::seconds(5));
  EXPECT_NE(client.read_until("[DONE]").find("[DONE]"), std::string::npos);
}

TEST_F(ServerTest, StopWithRequestsInEveryStage) {
  for (int round = 0; round < 20; ++round) {
    start();
    if (!engine_) open();
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 8; ++i) {
      clients.push_back(std::make_unique<Client>(server_->port()));
      clients.back()->post(R"({"prompt":"a","ignore_eos":true,"max_tokens":2000,"stream":true})");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
    server_->stop(milliseconds(0));
  }
}

}  // namespace
}  // namespace ingot::http
