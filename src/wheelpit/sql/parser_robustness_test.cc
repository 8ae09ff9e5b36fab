// SPDX-License-Identifier: Apache-2.0
// The fuzz target's corpus and mutations of it, from a fixed seed: what a fuzzing run
// would find in its first seconds, on every run of the tests.
#include "wheelpit/sql/parser_robustness.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wheelpit::sql {
namespace {

std::vector<std::string> ReadCorpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(WHEELPIT_CORPUS_DIR)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string Next() {
    std::string text = Pick();
    for (size_t steps = 1 + Below(4); steps > 0; --steps) {
      Mutate(&text);
    }
    return text;
  }

 private:
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& Pick() { return corpus_[Below(corpus_.size())]; }

  void Mutate(std::string* text) {
    static const std::vector<std::string> kPieces = {
        "(",      ")",    "'",  "\"",    "`",    "/*", "*/",        "--",      ",", ".",
        "SELECT", "FROM", "::", "CASE ", " AS ", "[",  "INTERVAL ", " IN (",   "-", "1e",
        "\\",     "|>",   ">>", "->",    "\xC3", "\n", "NOT ",      " UNION ", "?", ":"};
    size_t at = Below(text->size() + 1);
    size_t length = Below(std::min<size_t>(text->size() - at, 12) + 1);
    switch (Below(6)) {
      case 0:
        text->erase(at, length);
        break;
      case 1:
        text->insert(at, kPieces[Below(kPieces.size())]);
        break;
      case 2:
        text->insert(at, text->substr(at, length));
        break;
      case 3:
        text->replace(at, length, 1, static_cast<char>(Below(256)));
        break;
      case 4: {
        const std::string& other = Pick();
        size_t from = Below(other.size() + 1);
        text->insert(at, other.substr(from, Below(40)));
        break;
      }
      default:
        text->resize(at);
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 random_{20260101};
};

TEST(ParserRobustness, TheCorpusKeepsThePromises) {
  std::vector<std::string> corpus = ReadCorpus();
  ASSERT_GE(corpus.size(), 100U);
  for (const std::string& text : corpus) {
    CheckRobustness(text);
    // Every statement cut off at every byte.
    for (size_t cut = 0; cut < text.size(); ++cut) {
      CheckRobustness(std::string_view(text).substr(0, cut));
    }
  }
}

TEST(ParserRobustness, MutationsOfTheCorpusKeepThePromises) {
  std::vector<std::string> corpus = ReadCorpus();
  ASSERT_FALSE(corpus.empty());
  Mutator mutator(corpus);
  constexpr int kRounds = 30000;
  for (int round = 0; round < kRounds; ++round) {
    CheckRobustness(mutator.Next());
  }
}

}  // namespace
}  // namespace wheelpit::sql
