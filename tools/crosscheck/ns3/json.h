// A JSON object, written line by line in the order of its keys.
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace airtcp
{

/// Builds the text of one JSON object; nested objects and lists are added as text with `Raw`.
class JsonObject
{
  public:
    /// Adds a value that is JSON already.
    JsonObject& Raw(const std::string& key, const std::string& json)
    {
        m_text += (m_text.empty() ? "\"" : ", \"") + key + "\": " + json;
        return *this;
    }

    /// Adds a number, a truth value or a text; texts here never need an escape.
    template <typename T>
    JsonObject& Add(const std::string& key, const T& value)
    {
        return Raw(key, Value(value));
    }

    /// The object.
    std::string Text() const
    {
        return "{" + m_text + "}";
    }

    /// One value as JSON.
    template <typename T>
    static std::string Value(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
        {
            return value ? "true" : "false";
        }
        else if constexpr (std::is_integral_v<T>)
        {
            return std::to_string(value);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            char text[32];
            std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
            return text;
        }
        else
        {
            return "\"" + std::string(value) + "\"";
        }
    }

    /// A list of values as JSON.
    template <typename T>
    static std::string List(const std::vector<T>& values)
    {
        std::string text;
        for (const T& value : values)
        {
            text += (text.empty() ? "" : ", ") + Value(value);
        }
        return "[" + text + "]";
    }

    /// A list of objects as JSON.
    static std::string Objects(const std::vector<JsonObject>& objects)
    {
        std::string text;
        for (const JsonObject& object : objects)
        {
            text += (text.empty() ? "" : ", ") + object.Text();
        }
        return "[" + text + "]";
    }

  private:
    std::string m_text;
};

} // namespace airtcp
